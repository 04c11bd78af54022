//! What to compare: as asked for, else as the spec says, else a sensible few.

use corefed_rules::CeilingUse;
use corefed_spec::{Compare, Contender, Spec, toml_list};

use crate::{RunError, TrainingError};

/// What a caller says besides the spec.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Rules by name, instead of the spec's.
    pub rules: Vec<String>,
    /// Train from seeds 1 to this, instead of the spec's.
    pub seeds: Option<u64>,
    /// Label of the rule that others are compared with.
    pub base: Option<String>,
    /// Keys to tune with their values, besides the spec's.
    pub tune: Vec<(String, Vec<String>)>,
    /// At most this many settings per rule.
    pub budget: Option<u64>,
}

/// The rules that are compared unless told.
const USUAL: [&str; 4] = ["fedavg", "corefed", "qffl", "afl"];

/// The rules, seeds and settings of a comparison.
pub fn contenders(spec: &Spec, asked: &Asked) -> Result<Compare, RunError> {
    let mut settings: Vec<(String, String)> = Vec::new();
    let mut set = |key: &str, value: String| settings.push((key.to_owned(), value));
    if !asked.rules.is_empty() {
        set("compare.rules", quoted(asked.rules.iter().map(String::as_str)));
    } else if spec.compare.is_none() {
        set("compare.rules", quoted(USUAL));
    }
    if let Some(seeds) = asked.seeds {
        let seeds: Vec<String> = (1..=seeds).map(|seed| seed.to_string()).collect();
        set("compare.seeds", format!("[{}]", seeds.join(", ")));
    } else if spec.compare.is_none() {
        set("compare.seeds", format!("[{}]", spec.seed));
    }
    if let Some(base) = &asked.base {
        set("compare.base", quote(base));
    }
    for (key, values) in &asked.tune {
        let values = toml_list(values.iter().map(String::as_str));
        set(&format!("compare.tune.grid.{}", quote(key)), values);
    }
    if let Some(budget) = asked.budget {
        set("compare.tune.budget", budget.to_string());
    }
    let pairs: Vec<(&str, &str)> =
        settings.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let spec = if pairs.is_empty() { spec.clone() } else { spec.with_all(&pairs)? };
    Ok(spec.compare.ok_or(TrainingError::NothingToCompare { spec: spec.name })?)
}

fn quote(text: &str) -> String {
    format!("\"{text}\"")
}

fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    format!("[{}]", names.into_iter().map(quote).collect::<Vec<_>>().join(", "))
}

/// The rule by utilities that ratios are taken against: the one that is called so, else the first.
#[must_use]
pub(crate) fn reference(compared: &Compare) -> Option<&Contender> {
    let own = |rule: &&Contender| rule.rule.info().ceilings == CeilingUse::Step;
    let mut all = compared.rules.iter().filter(own);
    let first = all.clone().next();
    all.find(|contender| contender.label == "corefed").or(first)
}
