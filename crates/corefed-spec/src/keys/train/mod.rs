//! Keys of `[train]` and its tables.

pub(crate) mod local;
pub(crate) mod participation;
pub(crate) mod rule;

use corefed_rules::{AtCeiling, Safety, ServerStep};

use self::rule::{RULE, with_knobs};
use crate::key::{Describe, Key, Section};
use crate::steadiness::{Correction, Search};
use crate::takes::{Choice, Flag, Free, MOST, Number, Whole, Without};
use crate::{Alone, Keep};
use corefed_core::Range;

pub(crate) static ROUNDS: Key<Whole> =
    Key::new("rounds", Whole { least: 1, most: MOST, default: Some(100) }, "Rounds of training.");
pub(crate) static SERVER_STEP: Key<Number> = Key::new(
    "server_step",
    Number { range: ServerStep::STEP, default: ServerStep::DEFAULT.step },
    "The combined update is multiplied by this.",
);
pub(crate) static SERVER_MOMENTUM: Key<Number> = Key::new(
    "server_momentum",
    Number { range: ServerStep::MOMENTUM, default: ServerStep::DEFAULT.momentum },
    "Heavy-ball momentum of the server over rounds.",
);
pub(crate) static FIRST_STEP: Key<Number> = Key::new(
    "first_step",
    Number { range: Range::up_to(0.0, 1.0), default: 1.0 },
    "Part of the step that the server takes in the first round; it grows along half a cosine to all of it.",
);
pub(crate) static PROJECT: Key<Flag> = Key::new(
    "project",
    Flag { default: true },
    "Bring parameters back into the ball after every step; audits speak of the ball only.",
);

pub(crate) static CORRECTION: Key<Choice<Correction>> = Key::new(
    "correction",
    Choice { options: Correction::NAMES, default: Some("auto") },
    "Correct local steps for drift by control variates, mixed by the rule's own weights. `auto`: where \
     the same agents take part in every round, the rule allows it and agents times parameters are at most 1 GiB.",
);
pub(crate) static SEARCH: Key<Choice<Search>> = Key::new(
    "search",
    Choice { options: Search::NAMES, default: Some("off") },
    "Take the best, by the rule's own objective, of the whole, half and quarter step of the rule and of \
     FedAvg, and of staying: the objective never falls. Everybody has to take part in every round, and \
     `server_momentum` to be 0.",
);

pub(crate) static KEEP: Key<Choice<Keep>> = Key::new(
    "keep",
    Choice { options: Keep::NAMES, default: Some("auto") },
    "Which round's model the run keeps, audits and is judged by: the last, or the best by log-welfare on the \
     `validation` rows. `auto`: the best where there are such rows.",
);

pub(crate) static ALONE: Key<Choice<Alone>> = Key::new(
    "alone",
    Choice { options: Alone::NAMES, default: Some("auto") },
    "Train every agent's own model by the same settings and measure it on held-out rows, beside everybody's: \
     as long again as the training. `auto`: where rows are held out, and in a comparison with its first rule \
     only. Own models of tables are solved, which takes no time, and ignore this.",
);

static OTHERS: [&dyn Describe; 9] = [
    &ROUNDS,
    &SERVER_STEP,
    &FIRST_STEP,
    &SERVER_MOMENTUM,
    &PROJECT,
    &CORRECTION,
    &SEARCH,
    &KEEP,
    &ALONE,
];
static KEYS: [&dyn Describe; rule::count(OTHERS.len())] = with_knobs(&RULE, &OTHERS);

pub(crate) static SECTION: Section = Section {
    path: "train",
    meaning: "A training by rounds, and the rule by which the server combines updates.",
    keys: &KEYS,
    selector: Some("rule"),
    rivals: &[],
};

pub(crate) static AT_CEILING: Key<Choice<AtCeiling>> = Key::new(
    "at_ceiling",
    Choice { options: AtCeiling::NAMES, default: Some("floor") },
    "What happens to an agent whose utility is below the floor: the log continues as a straight \
     line; everybody weighs as in FedAvg until all are above; or its ceiling is raised for good.",
);
pub(crate) static FLOOR: Key<Number> = Key::new(
    "floor",
    Number { range: Safety::FLOOR, default: Safety::DEFAULT.floor },
    "Smallest utility used as it is, as a fraction of the agent's ceiling.",
);
pub(crate) static WEIGHT_CAP: Key<Number> = Key::new(
    "weight_cap",
    Number { range: Range::from(1.0, f64::INFINITY), default: Safety::DEFAULT.weight_cap },
    "No agent's pull exceeds this many times the smallest one's, weights aside.",
);
pub(crate) static SHARE_CAP: Key<Free> = Key::new(
    "share_cap",
    Free { wanted: "`none` or a number >= 1", without: Without::Is("\"none\"") },
    "No agent's share of a step exceeds this many times its fair one, nor half of the step unless 1.5 times its \
     fair one is more, where shares follow from reported losses.",
);
pub(crate) static CLIP: Key<Free> = Key::new(
    "clip",
    Free { wanted: "`none` or a number > 0", without: Without::Is("\"none\"") },
    "Longer updates are shortened to this norm.",
);

pub(crate) static SAFETY: Section = Section {
    path: "train.safety",
    meaning: "Safeguards of the log, of weights and of updates.",
    keys: &[&AT_CEILING, &FLOOR, &WEIGHT_CAP, &SHARE_CAP, &CLIP],
    selector: None,
    rivals: &[],
};

pub(crate) static CERTIFICATE: Key<Number> = Key::new(
    "certificate",
    Number { range: Range::NOT_NEGATIVE, default: 0.0 },
    "Stop when the Frank-Wolfe bound on kappa is at most one plus this; `0`: never. For convex \
     models whose premise holds.",
);
pub(crate) static LOSS_FACTOR: Key<Number> = Key::new(
    "loss_factor",
    Number { range: Range::open(1.0, f64::INFINITY), default: 1000.0 },
    "A mean loss this many times the first one is an explosion, and ends the training.",
);

pub(crate) static PATIENCE: Key<Whole> = Key::new(
    "patience",
    Whole { least: 0, most: MOST, default: Some(0) },
    "Stop after this many rounds without a better one on the `validation` rows; `0`: never.",
);

pub(crate) static STOP: Section = Section {
    path: "train.stop",
    meaning: "When to stop before the last round.",
    keys: &[&CERTIFICATE, &LOSS_FACTOR, &PATIENCE],
    selector: None,
    rivals: &[],
};

pub(crate) static EVALUATE_EVERY: Key<Whole> = Key::new(
    "evaluate_every",
    Whole { least: 0, most: MOST, default: Some(1) },
    "Rounds between evaluations of all agents; `0`: only at the beginning and the end.",
);
pub(crate) static CHECKPOINT_EVERY: Key<Whole> = Key::new(
    "checkpoint_every",
    Whole { least: 0, most: MOST, default: Some(0) },
    "Rounds between checkpoints; `0`: a twentieth of the rounds, at least one.",
);
pub(crate) static TENSORBOARD: Key<Flag> =
    Key::new("tensorboard", Flag { default: false }, "Write event files for TensorBoard.");

pub(crate) static RECORD: Section = Section {
    path: "train.record",
    meaning: "What is written down.",
    keys: &[&EVALUATE_EVERY, &CHECKPOINT_EVERY, &TENSORBOARD],
    selector: None,
    rivals: &[],
};
