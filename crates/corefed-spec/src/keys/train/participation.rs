//! Keys of `[train.participation]`.

use crate::key::{Key, Section};
use crate::takes::{Choice, Free, Number, Without};
use corefed_core::Range;

/// The draws, without names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Uniform,
    Size,
    Fixed,
}

pub(crate) static COHORT: Key<Free> = Key::new(
    "cohort",
    Free {
        wanted: "`all`, a whole number >= 1 or a fraction in (0, 1)",
        without: Without::Is("\"all\""),
    },
    "How many agents take part in a round.",
)
.only(&["uniform", "size"]);
pub(crate) static DRAW: Key<Choice<Kind>> = Key::new(
    "draw",
    Choice {
        options: &[("uniform", Kind::Uniform), ("size", Kind::Size), ("fixed", Kind::Fixed)],
        default: Some("uniform"),
    },
    "Which ones: any, those with more rows more often, or always the same.",
);
pub(crate) static AGENTS: Key<Free> = Key::new(
    "agents",
    Free { wanted: "a list of names, none twice", without: Without::Required },
    "The agents that take part in every round.",
)
.only(&["fixed"]);
pub(crate) static DROPOUT: Key<Number> = Key::new(
    "dropout",
    Number { range: Range::PART, default: 0.0 },
    "Chance that an update never arrives.",
);
pub(crate) static STRAGGLERS: Key<Number> = Key::new(
    "stragglers",
    Number { range: Range::CHANCE, default: 0.0 },
    "Chance that an agent finishes only part of its work.",
);
pub(crate) static STRAGGLER_WORK: Key<Number> = Key::new(
    "straggler_work",
    Number { range: Range::up_to(0.0, 1.0), default: 0.5 },
    "That part.",
);

pub(crate) static SECTION: Section = Section {
    path: "train.participation",
    meaning: "Who takes part in a round, and whose work arrives.",
    keys: &[&COHORT, &DRAW, &AGENTS, &DROPOUT, &STRAGGLERS, &STRAGGLER_WORK],
    selector: Some("draw"),
    rivals: &[],
};
