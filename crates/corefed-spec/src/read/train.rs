//! `[train]` and its tables.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use corefed_rules::{KnobSlot, Rule, Safety, ServerStep};

use super::{text, unique};
use crate::fields::{Fields, unfit};
use crate::key::Key;
use crate::keys::train::local::{self, Shape};
use crate::keys::train::participation::{self, Kind};
use crate::keys::train::{self as keys, rule};
use crate::takes::{Choice, Free, MOST, Whole};
use crate::value::Value;
use crate::words::excerpt;
use crate::{
    Amount, Cohort, Draw, LocalWork, Participation, Problem, Record, Schedule, Stop, Train,
};

/// Reads a training.
pub(super) fn read(fields: &Fields) -> Train {
    Train {
        rule: read_rule(fields, &rule::RULE),
        rounds: at_least_one(fields, &keys::ROUNDS),
        server: ServerStep {
            step: fields.number(&keys::SERVER_STEP),
            momentum: fields.number(&keys::SERVER_MOMENTUM),
        },
        first_step: fields.number(&keys::FIRST_STEP),
        project: fields.flag(&keys::PROJECT),
        correction: fields.choice(&keys::CORRECTION),
        search: fields.choice(&keys::SEARCH),
        keep: fields.choice(&keys::KEEP),
        alone: fields.choice(&keys::ALONE),
        local: local(&fields.table("local", &local::SECTION)),
        participation: participation(&fields.table("participation", &participation::SECTION)),
        safety: safety(&fields.table("safety", &keys::SAFETY)),
        stop: stop(&fields.table("stop", &keys::STOP)),
        record: record(&fields.table("record", &keys::RECORD)),
    }
}

/// A rule and its knobs, from `[train]` or from a table of `[compare]`.
pub(super) fn read_rule(fields: &Fields, key: &Key<Choice<Rule>>) -> Rule {
    let mut read = fields.choice(key);
    for (knob, slot) in read.knobs_mut() {
        match slot {
            KnobSlot::Number(value) => *value = fields.number(&rule::number(knob, *value)),
            KnobSlot::StepLength(step) => *step = fields.choice(&rule::step_length(knob, *step)),
        }
    }
    read
}

fn local(fields: &Fields) -> LocalWork {
    let steps = fields.whole(&local::STEPS).map(to_usize);
    let epochs = at_least_one(fields, &local::EPOCHS);
    let shape = fields.choice(&local::SCHEDULE);
    let (decay, every) = (fields.number(&local::DECAY), at_least_one(fields, &local::DECAY_EVERY));
    LocalWork {
        amount: steps.map_or(Amount::Epochs(epochs), Amount::Steps),
        batch: fields.free(&local::BATCH, batch).unwrap_or(LocalWork::default().batch),
        learning_rate: fields.number(&local::LEARNING_RATE),
        momentum: fields.number(&local::MOMENTUM),
        weight_decay: fields.number(&local::WEIGHT_DECAY),
        schedule: match shape {
            Shape::Constant => Schedule::Constant,
            Shape::InverseSqrt => Schedule::InverseSqrt,
            Shape::Cosine => Schedule::Cosine,
            Shape::Step => Schedule::Step { decay, every },
        },
    }
}

fn batch(value: Value) -> Result<Option<NonZeroUsize>, Problem> {
    match value {
        Value::Text("full") => Ok(None),
        _ => count(value).map(Some).ok_or_else(|| unfit(local::BATCH.takes.wanted, value)),
    }
}

fn participation(fields: &Fields) -> Participation {
    let cohort = fields.free(&participation::COHORT, |value| match value {
        Value::Text("all") => Ok(Cohort::All),
        Value::Number(fraction) if fraction > 0.0 && fraction < 1.0 => {
            Ok(Cohort::Fraction(fraction))
        }
        _ => count(value)
            .map(Cohort::Count)
            .ok_or_else(|| unfit(participation::COHORT.takes.wanted, value)),
    });
    let draw = match fields.choice(&participation::DRAW) {
        Kind::Uniform => Draw::Uniform,
        Kind::Size => Draw::Size,
        Kind::Fixed => Draw::Fixed(names(fields)),
    };
    Participation {
        cohort: cohort.unwrap_or(Cohort::All),
        draw,
        dropout: fields.number(&participation::DROPOUT),
        stragglers: fields.number(&participation::STRAGGLERS),
        straggler_work: fields.number(&participation::STRAGGLER_WORK),
    }
}

/// The agents of a fixed cohort.
fn names(fields: &Fields) -> Vec<String> {
    let key = &participation::AGENTS;
    let mut seen = BTreeSet::new();
    let names = fields.list(key, |_, _, value| {
        let name = text(key, value)?;
        unique(&mut seen, name.clone(), |name| format!("`{}`", excerpt(name)))?;
        Ok(name)
    });
    if let Some((at, value @ Value::List([]))) = fields.get(key.name) {
        fields.refuse(at, key.name, unfit("a list of at least one name", value));
    }
    names.unwrap_or_default()
}

fn safety(fields: &Fields) -> Safety {
    let limit = |key: &'static Key<Free>, fits: fn(f64) -> bool| {
        let read = fields.free(key, |value| match (value, value.number()) {
            (Value::Text("none"), _) => Ok(f64::INFINITY),
            (_, Some(limit)) if fits(limit) && limit.is_finite() => Ok(limit),
            _ => Err(unfit(key.takes.wanted, value)),
        });
        read.unwrap_or(f64::INFINITY)
    };
    Safety {
        at_ceiling: fields.choice(&keys::AT_CEILING),
        floor: fields.number(&keys::FLOOR),
        weight_cap: fields.number(&keys::WEIGHT_CAP),
        share_cap: limit(&keys::SHARE_CAP, |cap| cap >= 1.0),
        clip: limit(&keys::CLIP, |norm| norm > 0.0),
    }
}

fn stop(fields: &Fields) -> Stop {
    Stop {
        certificate: Some(fields.number(&keys::CERTIFICATE)).filter(|&slack| slack > 0.0),
        loss_factor: fields.number(&keys::LOSS_FACTOR),
        patience: fields.whole(&keys::PATIENCE).map(to_usize).and_then(NonZeroUsize::new),
    }
}

fn record(fields: &Fields) -> Record {
    let every = |key| fields.whole(key).map(to_usize).and_then(NonZeroUsize::new);
    Record {
        evaluate_every: every(&keys::EVALUATE_EVERY),
        checkpoint_every: every(&keys::CHECKPOINT_EVERY),
        tensorboard: fields.flag(&keys::TENSORBOARD),
    }
}

/// The ranges of keys end long before the range of `usize`.
fn to_usize(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// A count whose range begins at one.
fn at_least_one(fields: &Fields, key: &Key<Whole>) -> NonZeroUsize {
    fields.whole(key).map(to_usize).and_then(NonZeroUsize::new).unwrap_or(NonZeroUsize::MIN)
}

fn count(value: Value) -> Option<NonZeroUsize> {
    match value {
        Value::Whole(count) if count <= i128::from(MOST) => {
            usize::try_from(count).ok().and_then(NonZeroUsize::new)
        }
        _ => None,
    }
}
