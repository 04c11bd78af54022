//! `[compare.tune]`.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use corefed_rules::RULES;

use super::unique;
use crate::fields::{Fields, unfit};
use crate::keys::compare as keys;
use crate::keys::section;
use crate::toml_text;
use crate::tune::has_knob;
use crate::value::Value;
use crate::words::{excerpt, nearest};
use crate::{Contender, Problem, Tune};

/// More settings than this are a mistake, whatever the budget.
const MOST_SETTINGS: usize = 1_000_000;

/// What says which rules are compared, what by, or what is written down, but not how a rule trains.
const FIXED: [&str; 6] = [
    "train.rule",
    "train.keep",
    "train.safety.floor",
    "train.record.evaluate_every",
    "train.record.checkpoint_every",
    "train.record.tensorboard",
];

/// The settings to try, if there are any.
pub(super) fn read(compare: &Fields, rules: &[Contender]) -> Option<Tune> {
    let (at, _) = compare.get("tune")?;
    let fields = compare.table("tune", &keys::TUNE);
    let budget = fields.whole(&keys::BUDGET).and_then(|budget| usize::try_from(budget).ok());
    let grid = grid(&fields, rules);
    let settings = grid.values().try_fold(1_usize, |size, values| size.checked_mul(values.len()));
    if settings.is_none_or(|settings| settings > MOST_SETTINGS) {
        let reason = format!("has more than {MOST_SETTINGS} settings; try fewer values");
        fields.refuse(at, "grid", Problem::Refused { reason });
    }
    Some(Tune {
        grid,
        budget: budget.and_then(NonZeroUsize::new).unwrap_or(NonZeroUsize::MIN),
        seeds: fields.choice(&keys::CHOOSING),
    })
}

/// Values by key. Keys may be quoted whole or be tables within tables: both are the same path.
fn grid(tune: &Fields, rules: &[Contender]) -> BTreeMap<String, Vec<String>> {
    let fields = tune.table("grid", &keys::GRID);
    let mut grid = BTreeMap::new();
    let mut left: Vec<(String, usize, Value)> =
        fields.entries().map(|(name, at, value)| (name.to_owned(), at, value)).collect();
    if left.is_empty() {
        let wanted =
            "a table with at least one key, such as `train.local.learning_rate = [0.01, 0.1]`";
        tune.miss("grid", wanted.to_owned());
    }
    while let Some((path, at, value)) = left.pop() {
        let items = match value {
            Value::Table(inner) => {
                left.extend(inner.iter().map(|(name, value)| {
                    let path = format!("{path}.{}", name.get_ref());
                    (path, value.span().start, Value::of(value.get_ref()))
                }));
                continue;
            }
            Value::List(items @ [_, ..]) => items,
            _ => {
                let wanted = format!("{}; at least one", keys::VALUES.takes.wanted);
                fields.refuse(at, &path, unfit(&wanted, value));
                continue;
            }
        };
        let mut seen = BTreeSet::new();
        let values = fields.items(&path, items, &mut |_, _, value| {
            let literal = literal(value).ok_or_else(|| unfit("a number or a name", value))?;
            // Whole or not, a number is the same setting.
            let same = value.number().map_or(literal.clone(), toml_text::number);
            unique(&mut seen, same, |same| format!("`{}`", excerpt(same)))?;
            Ok(literal)
        });
        match tunable(&path, rules) {
            Ok(key) if grid.contains_key(&key) => {
                fields.refuse(at, &path, Problem::Twice { what: format!("`{key}`") });
            }
            Ok(key) => {
                grid.insert(key, values);
            }
            Err(problem) => fields.refuse(at, &path, problem),
        }
    }
    grid
}

fn literal(value: Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(toml_text::text(text)),
        Value::Whole(value) => Some(value.to_string()),
        Value::Number(value) => Some(toml_text::number(value)),
        Value::Flag(value) => Some(value.to_string()),
        Value::List(_) | Value::Table(_) | Value::Other(_) => None,
    }
}

/// The key as a grid keeps it, knobs by their bare names.
fn tunable(path: &str, rules: &[Contender]) -> Result<String, Problem> {
    let refused = |reason: String| Err(Problem::Refused { reason });
    let name = path.strip_prefix("train.").unwrap_or(path);
    if RULES.iter().any(|info| has_knob(info.default, name)) {
        let somebody = rules.iter().any(|contender| has_knob(contender.rule, name));
        return if somebody || rules.is_empty() {
            Ok(name.to_owned())
        } else {
            refused(format!("no rule of this comparison has the knob `{name}`"))
        };
    }
    if FIXED.contains(&path) {
        return refused("cannot be tuned: it does not change how a rule trains".to_owned());
    }
    let (table, last) = path.rsplit_once('.').unwrap_or(("", path));
    let section = section(table).filter(|_| table == "train" || table.starts_with("train."));
    match section {
        Some(section) if section.key(last).is_some() => Ok(path.to_owned()),
        Some(section) => Err(Problem::UnknownKey {
            near: None,
            name: excerpt(last),
            nearest: nearest(last, section.keys.iter().map(|key| key.name())),
            elsewhere: Vec::new(),
        }),
        None => refused(format!(
            "`{}` is neither a key below `train` nor the knob of a rule",
            excerpt(path)
        )),
    }
}
