//! `[compare]`.

use std::collections::BTreeSet;

use super::{name, text, train, tune, unique};
use crate::fields::{Fields, unfit, unknown_choice};
use crate::key::Key;
use crate::keys::compare as keys;
use crate::keys::train::rule;
use crate::takes::Free;
use crate::value::Value;
use crate::words::excerpt;
use crate::{Compare, Contender, Correction, Problem, Search};

/// The contenders, if there are any.
pub(super) fn read(top: &Fields, seed: u64) -> Option<Compare> {
    let (at, _) = top.get("compare")?;
    if !top.has("train") {
        top.refuse(at, "compare", Problem::Needs { other: "[train]" });
    }
    let fields = top.table("compare", &keys::SECTION);
    let (mut labels, mut folders) = (BTreeSet::new(), BTreeSet::new());
    let rules = fields.list(&keys::RULES, |i, at, value| {
        let rule = contender(&fields, i, at, value)?;
        unique(&mut labels, rule.label.clone(), |label| {
            format!("the rule `{label}`, which needs a `label` of its own,")
        })?;
        // Some systems take `A` and `a` for one folder.
        unique(&mut folders, rule.folder_name().to_lowercase(), |folder| {
            let label = excerpt(&rule.label);
            format!("the folder `{folder}` of the rule `{label}`, which needs another `label`,")
        })?;
        Ok(rule)
    });
    let mut seen = BTreeSet::new();
    let seeds = fields.list(&keys::SEEDS, |_, _, value| {
        let seed = match value {
            Value::Whole(seed) => u64::try_from(seed).ok(),
            _ => None,
        };
        let seed = seed.ok_or_else(|| unfit("a whole number >= 0", value))?;
        unique(&mut seen, seed, |seed| format!("`{seed}`"))?;
        Ok(seed)
    });
    for key in [&keys::RULES, &keys::SEEDS] {
        if let Some((at, value @ Value::List([]))) = fields.get(key.name) {
            fields.refuse(
                at,
                key.name,
                unfit(&format!("{}; at least one", key.takes.wanted), value),
            );
        }
    }
    let rules = rules.unwrap_or_default();
    let base = fields.free(&keys::BASE, |value| {
        let label = text(&keys::BASE, value)?;
        let known = rules.iter().any(|rule| rule.label == label);
        if known { Ok(label) } else { Err(unfit(keys::BASE.takes.wanted, value)) }
    });
    let tune = tune::read(&fields, &rules);
    Some(Compare { rules, seeds: seeds.unwrap_or(vec![seed]), base, tune })
}

/// A rule by name with its defaults, or a table.
fn contender(fields: &Fields, i: usize, at: usize, value: Value) -> Result<Contender, Problem> {
    match value {
        Value::Text(text) => match rule::RULE.takes.find(text) {
            Some(rule) => Ok(Contender::new(text.to_owned(), *rule)),
            None => Err(unknown_choice(&rule::RULE.takes, value)),
        },
        Value::Table(table) => {
            let fields = fields.item(format!("compare.rules[{i}]"), &keys::RULE, at, table);
            let read = train::read_rule(&fields, &rule::CONTENDER);
            let label = fields.free(&keys::LABEL, |value| name(&keys::LABEL, value));
            let label = label.unwrap_or_else(|| read.info().name.to_owned());
            Ok(Contender {
                label,
                rule: read,
                correction: one_of(&fields, &keys::CORRECTION, Correction::NAMES),
                search: one_of(&fields, &keys::SEARCH, Search::NAMES),
                schedule: one_of(&fields, &keys::SCHEDULE, &keys::SCHEDULES),
                first_step: fields.free(&keys::FIRST_STEP, |value| part(&keys::FIRST_STEP, value)),
            })
        }
        _ => Err(unfit("the name of a rule or a table", value)),
    }
}

/// A number in (0, 1].
fn part(key: &Key<Free>, value: Value) -> Result<f64, Problem> {
    value.number().filter(|x| *x > 0.0 && *x <= 1.0).ok_or_else(|| unfit(key.takes.wanted, value))
}

/// A choice that may be left to `[train]`.
fn one_of<T: Copy>(fields: &Fields, key: &Key<Free>, names: &[(&str, T)]) -> Option<T> {
    fields.free(key, |value| {
        let named = |text: &str| names.iter().find(|(name, _)| *name == text);
        match value {
            Value::Text(text) => named(text).map(|(_, choice)| *choice),
            _ => None,
        }
        .ok_or_else(|| unfit(key.takes.wanted, value))
    })
}
