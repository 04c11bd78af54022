//! Keys of `[audit]`.

use crate::key::{Key, Section};
use crate::takes::{Number, Whole};
use corefed_core::Range;

pub(crate) static LEVEL: Key<Number> = Key::new(
    "level",
    Number { range: Range::open(0.0, 1.0), default: 0.9 },
    "How often intervals on held-out rows hold what they should.",
);
pub(crate) static BURSTS: Key<Whole> = Key::new(
    "bursts",
    Whole { least: 0, most: 10_000, default: Some(2) },
    "Epochs of local work for each rival that is trained in search of a witness; 0 trains none. Up to \
     four agents, a rival is trained for every coalition.",
);
pub(crate) static CLIMBS: Key<Whole> = Key::new(
    "climbs",
    Whole { least: 0, most: 10_000, default: Some(2) },
    "Coalitions to climb for, from the best rivals known, and as many drawn at random.",
);
pub(crate) static FACTOR: Key<Number> = Key::new(
    "factor",
    Number { range: Range::open(1.0, f64::INFINITY), default: 2.0 },
    "The `k` of Theorem 3: on how large a ball does no coalition gain more than this?",
);
pub(crate) static LANCZOS: Key<Whole> = Key::new(
    "lanczos",
    Whole { least: 0, most: 1_000, default: Some(8) },
    "Products with each agent's Hessian to estimate its spectrum by; 0 estimates nothing. Only for \
     networks without kinks.",
);

pub(crate) static RADIUS: Key<Number> = Key::new(
    "radius",
    Number { range: Range::POSITIVE, default: 0.1 },
    "Radius of the ball in which the local map looks for a larger weighted sum of gains; a heuristic \
     for networks.",
);

pub(crate) static SECTION: Section = Section {
    path: "audit",
    meaning: "How a trained network is audited; linear predictors are audited exactly.",
    keys: &[&LEVEL, &BURSTS, &CLIMBS, &FACTOR, &LANCZOS, &RADIUS],
    selector: None,
    rivals: &[],
};
