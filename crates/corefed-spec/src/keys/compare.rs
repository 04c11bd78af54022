//! Keys of `[compare]`.

use super::train::rule::{CONTENDER, count, with_knobs};
use crate::key::{Describe, Key, Section};
use crate::takes::{Choice, Free, MOST, Whole, Without};
use crate::{Schedule, TuneSeeds};

pub(crate) static RULES: Key<Free> = Key::new(
    "rules",
    Free {
        wanted: "a list of rules, by name or as tables such as `{ rule = \"qffl\", q = 2.0 }`",
        without: Without::Required,
    },
    "The rules to train side by side; `train.rule` is not among them unless it is listed.",
);
pub(crate) static SEEDS: Key<Free> = Key::new(
    "seeds",
    Free { wanted: "a list of whole numbers, none twice", without: Without::Told("`[seed]`") },
    "Every rule is trained once from each.",
);
pub(crate) static BASE: Key<Free> = Key::new(
    "base",
    Free {
        wanted: "the label of one of the rules",
        without: Without::Told("the first `fedavg`, else the first rule"),
    },
    "The rule that all others are compared with, seed by seed.",
);

pub(crate) static SECTION: Section = Section {
    path: "compare",
    meaning: "Several rules on the same data, from the same seeds; everything else as in `[train]`.",
    keys: &[&RULES, &SEEDS, &BASE],
    selector: None,
    rivals: &[],
};

pub(crate) static BUDGET: Key<Whole> = Key::new(
    "budget",
    Whole { least: 1, most: MOST, default: Some(12) },
    "At most this many settings per rule, the same for every one. A larger grid is drawn from at random, without \
     repetition.",
);
pub(crate) static CHOOSING: Key<Choice<TuneSeeds>> = Key::new(
    "seeds",
    Choice { options: TuneSeeds::NAMES, default: Some("each") },
    "Whether every seed chooses for itself, or the first for all. The first is cheaper, but the rows by which it chooses \
     may be rows that other seeds hold out.",
);

pub(crate) static TUNE: Section = Section {
    path: "compare.tune",
    meaning: "Try several settings of every rule, and compare those with the largest floored log-welfare on `validation` \
              rows, the same measure for all. Needs `validation` and `held_out`.",
    keys: &[&BUDGET, &CHOOSING],
    selector: None,
    rivals: &[],
};

pub(crate) static VALUES: Key<Free> = Key::new(
    "KEY",
    Free { wanted: "a list of numbers or names, none twice", without: Without::Required },
    "Values to try for a key of `[train]` or its tables, by its dotted path such as `train.local.learning_rate`, or for a knob \
     such as `q`, which rules without it ignore.",
);

pub(crate) static GRID: Section = Section {
    path: "compare.tune.grid",
    meaning: "Values to try; every combination is a setting.",
    keys: &[&VALUES],
    selector: None,
    rivals: &[],
};

pub(crate) static LABEL: Key<Free> = Key::new(
    "label",
    Free {
        wanted: "text for the name of a folder, without slashes",
        without: Without::Told("the rule's name"),
    },
    "Its name in tables, pictures and folders; no two rules have the same.",
);

const AS_TRAINED: Without = Without::Told("as in `[train]`");

pub(crate) static CORRECTION: Key<Free> = Key::new(
    "correction",
    Free { wanted: "`auto`, `control` or `none`", without: AS_TRAINED },
    "Its own `train.correction`.",
);
pub(crate) static SEARCH: Key<Free> = Key::new(
    "search",
    Free { wanted: "`on` or `off`", without: AS_TRAINED },
    "Its own `train.search`.",
);
pub(crate) static SCHEDULE: Key<Free> = Key::new(
    "schedule",
    Free { wanted: "`constant`, `inverse-sqrt` or `cosine`", without: AS_TRAINED },
    "Its own `train.local.schedule`.",
);
pub(crate) static FIRST_STEP: Key<Free> = Key::new(
    "first_step",
    Free { wanted: "a number in (0, 1]", without: AS_TRAINED },
    "Its own `train.first_step`.",
);
/// Schedules that need no numbers.
pub(crate) const SCHEDULES: [(&str, Schedule); 3] = [
    ("constant", Schedule::Constant),
    ("inverse-sqrt", Schedule::InverseSqrt),
    ("cosine", Schedule::Cosine),
];

static OTHERS: [&dyn Describe; 5] = [&CORRECTION, &SEARCH, &SCHEDULE, &FIRST_STEP, &LABEL];
static KEYS: [&dyn Describe; count(OTHERS.len())] = with_knobs(&CONTENDER, &OTHERS);

pub(crate) static RULE: Section = Section {
    path: "compare.rules[]",
    meaning: "A rule with its knobs, under a label.",
    keys: &KEYS,
    selector: Some("rule"),
    rivals: &[],
};
