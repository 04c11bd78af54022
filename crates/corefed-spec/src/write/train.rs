//! `[train]` and its tables.

use std::num::NonZeroUsize;

use corefed_rules::Rule;

use crate::document::Document;
use crate::keys::train::local::{self, Shape};
use crate::keys::train::participation::{self, Kind};
use crate::keys::train::rule::{RULE, value};
use crate::keys::train::{self as keys};
use crate::toml_text;
use crate::{Amount, Cohort, Draw, LocalWork, Participation, Schedule, Train};

pub(super) fn put(document: &mut Document, train: &Train) {
    document.begin(&keys::SECTION);
    for (name, value) in rule(train.rule) {
        document.named(name, value);
    }
    document.whole(&keys::ROUNDS, train.rounds.get());
    document.number(&keys::SERVER_STEP, train.server.step);
    document.number(&keys::FIRST_STEP, train.first_step);
    document.number(&keys::SERVER_MOMENTUM, train.server.momentum);
    document.flag(&keys::PROJECT, train.project);
    document.choice(&keys::CORRECTION, &train.correction);
    document.choice(&keys::SEARCH, &train.search);
    document.choice(&keys::KEEP, &train.keep);
    document.choice(&keys::ALONE, &train.alone);

    document.begin(&local::SECTION);
    work(document, &train.local);

    document.begin(&participation::SECTION);
    presence(document, &train.participation);

    document.begin(&keys::SAFETY);
    document.choice(&keys::AT_CEILING, &train.safety.at_ceiling);
    document.number(&keys::FLOOR, train.safety.floor);
    document.number(&keys::WEIGHT_CAP, train.safety.weight_cap);
    for (key, limit) in
        [(&keys::SHARE_CAP, train.safety.share_cap), (&keys::CLIP, train.safety.clip)]
    {
        if limit.is_finite() {
            document.put(key, toml_text::number(limit));
        } else {
            document.text(key, "none");
        }
    }

    document.begin(&keys::STOP);
    document.number(&keys::CERTIFICATE, train.stop.certificate.unwrap_or(0.0));
    document.number(&keys::LOSS_FACTOR, train.stop.loss_factor);
    document.whole(&keys::PATIENCE, train.stop.patience.map_or(0, NonZeroUsize::get));

    document.begin(&keys::RECORD);
    let every = |rounds: Option<NonZeroUsize>| rounds.map_or(0, NonZeroUsize::get);
    document.whole(&keys::EVALUATE_EVERY, every(train.record.evaluate_every));
    document.whole(&keys::CHECKPOINT_EVERY, every(train.record.checkpoint_every));
    document.flag(&keys::TENSORBOARD, train.record.tensorboard);
}

/// A rule and its knobs, as keys and values.
pub(super) fn rule(mut rule: Rule) -> Vec<(&'static str, String)> {
    let name = (RULE.name, toml_text::text(rule.info().name));
    let knobs = rule.knobs_mut().map(|(knob, slot)| (knob.name, value(&slot)));
    [name].into_iter().chain(knobs).collect()
}

fn work(document: &mut Document, work: &LocalWork) {
    match work.amount {
        Amount::Epochs(epochs) => document.whole(&local::EPOCHS, epochs.get()),
        Amount::Steps(steps) => document.whole(&local::STEPS, steps),
    }
    match work.batch {
        Some(rows) => document.put(&local::BATCH, rows.to_string()),
        None => document.text(&local::BATCH, "full"),
    }
    document.number(&local::LEARNING_RATE, work.learning_rate);
    document.number(&local::MOMENTUM, work.momentum);
    document.number(&local::WEIGHT_DECAY, work.weight_decay);
    let shape = match work.schedule {
        Schedule::Constant => Shape::Constant,
        Schedule::InverseSqrt => Shape::InverseSqrt,
        Schedule::Cosine => Shape::Cosine,
        Schedule::Step { .. } => Shape::Step,
    };
    document.choice(&local::SCHEDULE, &shape);
    if let Schedule::Step { decay, every } = work.schedule {
        document.number(&local::DECAY, decay);
        document.whole(&local::DECAY_EVERY, every.get());
    }
}

fn presence(document: &mut Document, participation: &Participation) {
    let kind = match &participation.draw {
        Draw::Uniform => Kind::Uniform,
        Draw::Size => Kind::Size,
        Draw::Fixed(_) => Kind::Fixed,
    };
    if let Draw::Fixed(agents) = &participation.draw {
        document.choice(&participation::DRAW, &kind);
        let names = agents.iter().map(|name| toml_text::text(name));
        document.put(&participation::AGENTS, toml_text::list(names));
    } else {
        let cohort = match participation.cohort {
            Cohort::All => toml_text::text("all"),
            Cohort::Count(count) => count.to_string(),
            Cohort::Fraction(fraction) => toml_text::number(fraction),
        };
        document.put(&participation::COHORT, cohort);
        document.choice(&participation::DRAW, &kind);
    }
    document.number(&participation::DROPOUT, participation.dropout);
    document.number(&participation::STRAGGLERS, participation.stragglers);
    document.number(&participation::STRAGGLER_WORK, participation.straggler_work);
}
