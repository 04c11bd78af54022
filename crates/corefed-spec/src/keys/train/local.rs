//! Keys of `[train.local]`.

use crate::key::{Key, Section};
use crate::takes::{Choice, Free, MOST, Number, Whole, Without};
use corefed_core::Range;

/// The schedules, without their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Constant,
    InverseSqrt,
    Cosine,
    Step,
}

pub(crate) static EPOCHS: Key<Whole> = Key::new(
    "epochs",
    Whole { least: 1, most: MOST, default: Some(1) },
    "Passes over the agent's rows in a round.",
);
pub(crate) static STEPS: Key<Whole> = Key::new(
    "steps",
    Whole { least: 0, most: MOST, default: None },
    "Steps in a round, in place of `epochs`; `0`: agents train nothing, to measure overhead.",
);
pub(crate) static BATCH: Key<Free> = Key::new(
    "batch",
    Free { wanted: "`full` or a whole number from 1 to 1e9", without: Without::Is("32") },
    "Rows per step.",
);
pub(crate) static LEARNING_RATE: Key<Number> = Key::new(
    "learning_rate",
    Number { range: Range::POSITIVE, default: 0.1 },
    "Learning rate of the first round.",
);
pub(crate) static MOMENTUM: Key<Number> = Key::new(
    "momentum",
    Number { range: Range::PART, default: 0.0 },
    "Heavy-ball momentum within a round.",
);
pub(crate) static WEIGHT_DECAY: Key<Number> = Key::new(
    "weight_decay",
    Number { range: Range::NOT_NEGATIVE, default: 0.0 },
    "Pull towards zero in every step, times the learning rate; not part of the loss.",
);
pub(crate) static SCHEDULE: Key<Choice<Shape>> = Key::new(
    "schedule",
    Choice {
        options: &[
            ("constant", Shape::Constant),
            ("inverse-sqrt", Shape::InverseSqrt),
            ("cosine", Shape::Cosine),
            ("step", Shape::Step),
        ],
        default: Some("constant"),
    },
    "How the learning rate changes over rounds: not at all, as `1 / sqrt(round)`, along half a \
     cosine, or in steps.",
);
pub(crate) static DECAY: Key<Number> = Key::new(
    "decay",
    Number { range: Range::up_to(0.0, 1.0), default: 0.1 },
    "Factor of every step.",
)
.only(&["step"]);
pub(crate) static DECAY_EVERY: Key<Whole> = Key::new(
    "decay_every",
    Whole { least: 1, most: MOST, default: Some(30) },
    "Rounds between steps.",
)
.only(&["step"]);

pub(crate) static SECTION: Section = Section {
    path: "train.local",
    meaning: "What an agent does with the model it receives: stochastic gradient descent.",
    keys: &[
        &EPOCHS,
        &STEPS,
        &BATCH,
        &LEARNING_RATE,
        &MOMENTUM,
        &WEIGHT_DECAY,
        &SCHEDULE,
        &DECAY,
        &DECAY_EVERY,
    ],
    selector: Some("schedule"),
    rivals: &[("epochs", "steps")],
};
