//! Data and terms.

use std::collections::BTreeMap;
use std::path::Path;

use corefed_core::{Family, TRAINED_TOLERANCE, Writing};
use corefed_data::{Check, Checks, ColumnType};

use super::{compare, is_name, name, network, partition, text, told, train};
use crate::fields::{Fields, unfit, unknown_choice};
use crate::keys::root as keys;
use crate::value::Value;
use crate::{Ceiling, DataSource, Keep, Model, Problem, Spec, Train, WeightsBy};

/// Radius of the ball of a network, unless it is told: nothing rests on it, so nothing is held back.
const UNBOUND: f64 = 1e9;

/// Reads everything; `None` when the data are missing, which is a mistake.
pub(super) fn read(fields: &Fields, file: &str) -> Option<Spec> {
    let data = fields.free(&keys::DATA, |value| told(&keys::DATA, value));
    let partition = partition::read(fields);
    let column = |key| fields.free(key, |value| text(key, value));
    let (agent, target) = (column(&keys::AGENT), column(&keys::TARGET));
    if let Some(DataSource::File(_)) = data {
        // Nobody but the user knows what is what in the user's own table.
        let says_who = fields.has("agent") || fields.has("partition");
        if !says_who {
            fields.miss("agent", format!("{}, or `[partition]` a table", keys::AGENT.takes.wanted));
        }
        if !fields.has("target") {
            fields.miss("target", keys::TARGET.takes.wanted.to_owned());
        }
    }
    let weights = |key, default| fields.free(key, |value| told(key, value)).unwrap_or(default);
    let seed = fields.whole(&keys::SEED).unwrap_or_default();
    let train = fields
        .has("train")
        .then(|| train::read(&fields.table("train", &crate::keys::train::SECTION)));
    let compare = compare::read(fields, seed);
    if compare.as_ref().is_some_and(|compare| compare.tune.is_some()) {
        needs_rows(fields);
    }
    let model = network::read(fields);
    let raw = fields.flag(&keys::RAW);
    let takes_exposure = model.family().is_some_and(Family::takes_exposure);
    if let Some((at, _)) = fields.get("exposure").filter(|_| !takes_exposure) {
        let reason = format!("is for models of counts, and `model` is `{model}`");
        fields.refuse(at, "exposure", Problem::Refused { reason });
    }
    Some(Spec {
        name: fields
            .free(&keys::NAME, |value| name(&keys::NAME, value))
            .unwrap_or_else(|| default_name(file)),
        seed,
        agent,
        target,
        exposure: column(&keys::EXPOSURE),
        ceiling: fields
            .free(&keys::CEILING, ceiling)
            .unwrap_or_else(|| Ceiling::default_of(model.family(), raw)),
        radius: match model {
            Model::Network(_) if !fields.has("radius") => UNBOUND,
            _ => fields.number(&keys::RADIUS),
        },
        model,
        weights: weights(&keys::WEIGHTS, WeightsBy::Equal),
        average: weights(&keys::AVERAGE, WeightsBy::Samples),
        l2: fields.number(&keys::L2),
        intercept: fields.flag(&keys::INTERCEPT),
        raw,
        allow: allow(fields),
        written: Writing {
            separator: fields.choice(&keys::SEPARATOR),
            decimal: fields.choice(&keys::DECIMAL),
        },
        missing: fields.choice(&keys::MISSING),
        na: words(fields),
        columns: columns(fields),
        // A training ends near its optimum, not at it.
        tolerance: match train {
            Some(_) if !fields.has("tolerance") => TRAINED_TOLERANCE,
            _ => fields.number(&keys::TOLERANCE),
        },
        time_limit: fields.number(&keys::TIME_LIMIT),
        sample: fields.number(&keys::SAMPLE),
        held_out: fields.number(&keys::HELD_OUT),
        validation: validation(fields, train.as_ref()),
        test: fields.flag(&keys::TEST),
        partition,
        corrupt: partition::corrupt(fields),
        train,
        compare,
        data: data?,
    })
}

/// The share of rows to choose by, which must leave some to train on, and which choosing needs.
fn validation(fields: &Fields, train: Option<&Train>) -> f64 {
    let share = fields.number(&keys::VALIDATION);
    if let Some((at, _)) = fields.get(keys::VALIDATION.name)
        && share + fields.number(&keys::HELD_OUT) >= 1.0
    {
        let reason = "and `held_out` leave no rows to train on".to_owned();
        fields.refuse(at, keys::VALIDATION.name, Problem::Refused { reason });
    }
    let chooses =
        train.is_some_and(|train| train.keep == Keep::Best || train.stop.patience.is_some());
    if let Some((at, _)) = fields.get("train").filter(|_| chooses && share == 0.0) {
        let reason = "`keep = \"best\"` and `stop.patience` need `validation` rows".to_owned();
        fields.refuse(at, "train", Problem::Refused { reason });
    }
    share
}

/// Rows to choose settings by, and others to report on.
fn needs_rows(fields: &Fields) {
    let Some((at, _)) = fields.get("compare") else { return };
    for (key, what) in [(&keys::VALIDATION, "choose by"), (&keys::HELD_OUT, "report on")] {
        let share = fields.get(key.name).and_then(|(_, value)| value.number());
        if share.is_none_or(|share| share == 0.0) {
            let reason = format!("needs rows to {what}: set `{0}`, such as `{0} = 0.1`", key.name);
            fields.refuse(at, "compare.tune", Problem::Refused { reason });
        }
    }
}

/// The stem of the file's name, if it can be the name of a folder.
fn default_name(file: &str) -> String {
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str());
    stem.filter(|stem| is_name(stem)).unwrap_or("run").to_owned()
}

/// A bare number is a ceiling too.
fn ceiling(value: Value) -> Result<Ceiling, Problem> {
    match value.number() {
        Some(number) if number > 0.0 && number.is_finite() => Ok(Ceiling::Fixed(number)),
        Some(_) => Err(unfit(Ceiling::WANTED, value)),
        None => told(&keys::CEILING, value),
    }
}

fn allow(fields: &Fields) -> Checks {
    let check = |_, _, value| match value {
        Value::Text(text) => text.parse().map_err(|error: corefed_data::UnknownCheck| {
            Problem::Refused { reason: error.to_string() }
        }),
        _ => Err(unfit(keys::ALLOW.takes.wanted, value)),
    };
    let checks: Option<Vec<Check>> = fields.list(&keys::ALLOW, check);
    checks.unwrap_or_default().into_iter().collect()
}

/// A number is a word too: `-9999`.
fn words(fields: &Fields) -> Vec<String> {
    let word = |_, _, value| match value {
        Value::Text(text) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
        value => match value.number() {
            Some(number) => Ok(number.to_string()),
            None => Err(unfit(keys::NA.takes.wanted, value)),
        },
    };
    fields.list(&keys::NA, word).unwrap_or_default()
}

fn columns(fields: &Fields) -> BTreeMap<String, ColumnType> {
    let table = fields.table("columns", &keys::COLUMNS);
    let mut columns = BTreeMap::new();
    for (name, at, value) in table.entries() {
        let kind = match value {
            Value::Text(text) => keys::COLUMN.takes.find(text),
            _ => None,
        };
        match kind {
            Some(kind) => {
                columns.insert(name.to_owned(), *kind);
            }
            None => table.refuse(at, name, unknown_choice(&keys::COLUMN.takes, value)),
        }
    }
    columns
}
