//! What was tried for every rule, and what was chosen.

use corefed_documents::{Comparison, Try, TunedRule, Tuning};
use serde_json::{Map, Value};

use crate::{Cell, Grid};

/// Per rule: how many settings were tried, and the chosen one of every seed.
#[must_use]
pub(super) fn chosen(document: &Comparison) -> Option<Grid> {
    let tuning = document.tuning.as_ref()?;
    let seeds = seeds(tuning);
    let mut header = ["rule", "settings tried", "of"].map(str::to_owned).to_vec();
    header.extend(seeds.iter().map(|seed| format!("chosen, seed {seed}")));
    let rows = tuning.rules.iter().map(|rule| {
        let mut row = vec![
            Cell::text(&rule.rule),
            Cell::text(rule.tried.to_string()),
            Cell::text(rule.grid.to_string()),
        ];
        row.extend(seeds.iter().map(|seed| {
            let own = rule.tries.iter().find(|tried| tried.seed == *seed && tried.chosen);
            own.map_or_else(Cell::missing, |tried| Cell::text(setting(&tried.setting)))
        }));
        row
    });
    Some(Grid { header, rows: rows.collect() })
}

/// Every setting from every seed.
#[must_use]
pub(super) fn tried(document: &Comparison) -> Option<Grid> {
    let tuning = document.tuning.as_ref()?;
    let header =
        ["rule", "seed", "setting", "log-welfare on rows to choose by", "chosen", "failure"];
    let rows = tuning.rules.iter().flat_map(|rule| {
        rule.tries.iter().map(|tried| {
            let worth = tried.validation_welfare;
            vec![
                Cell::text(&rule.rule),
                Cell::text(tried.seed.to_string()),
                Cell::text(setting(&tried.setting)),
                worth.map_or_else(Cell::missing, |worth| Cell::number(worth, 4)),
                Cell::text(if tried.chosen { "yes" } else { "" }),
                Cell::text(tried.failure.as_deref().unwrap_or_default()),
            ]
        })
    });
    Some(Grid { header: header.map(str::to_owned).to_vec(), rows: rows.collect() })
}

/// How settings were chosen, in words.
#[must_use]
pub(super) fn how_tuned(document: &Comparison) -> Vec<String> {
    let Some(tuning) = &document.tuning else { return Vec::new() };
    let mut said = vec![format!(
        "Every rule was tried with at most {} settings, and the one with the largest floored log-welfare on validation rows, which only \
         choose by is compared: the measure of this comparison, the same for every rule. {}",
        tuning.budget,
        if tuning.seeds == "each" {
            "Every seed chose for itself; held-out rows neither trained nor chose."
        } else {
            "The first seed chose for all: rows by which it chose may be held out from other seeds."
        }
    )];
    let rules: Vec<String> = tuning.rules.iter().map(counts).collect();
    said.push(format!("Settings tried: {}.", rules.join("; ")));
    let ends: Vec<String> = tuning.rules.iter().flat_map(at_ends).collect();
    if !ends.is_empty() {
        said.push(format!(
            "Chosen at an end of what was tried, so that values beyond it might be better: {}.",
            ends.join("; ")
        ));
    }
    said
}

/// Keys of which the smallest or largest of at least three values was chosen, with how often.
fn at_ends(rule: &TunedRule) -> Vec<String> {
    let ended = rule.keys.iter().filter_map(|key| {
        let value = |tried: &Try| tried.setting.get(key).and_then(Value::as_f64);
        let mut values: Vec<f64> = rule.tries.iter().filter_map(value).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let [least, _, .., most] = values.as_slice() else { return None };
        let chosen: Vec<f64> =
            rule.tries.iter().filter(|tried| tried.chosen).filter_map(value).collect();
        let ends = chosen.iter().filter(|value| *value == least || *value == most).count();
        (ends > 0).then(|| format!("{} {key} in {ends} of {}", rule.rule, chosen.len()))
    });
    ended.collect()
}

fn counts(rule: &TunedRule) -> String {
    let keys = match rule.keys.as_slice() {
        [] => "nothing to tune".to_owned(),
        keys => keys.join(", "),
    };
    let drawn = if rule.tried < rule.grid { " drawn at random" } else { "" };
    format!("{} {} of {}{drawn} ({keys})", rule.rule, rule.tried, rule.grid)
}

fn seeds(tuning: &Tuning) -> Vec<u64> {
    let mut seeds = Vec::new();
    for tried in tuning.rules.iter().flat_map(|rule| &rule.tries) {
        if !seeds.contains(&tried.seed) {
            seeds.push(tried.seed);
        }
    }
    seeds
}

/// A setting by the last parts of its keys.
fn setting(setting: &Map<String, Value>) -> String {
    let short = |key: &str| key.rsplit('.').next().unwrap_or(key).to_owned();
    let pairs = setting.iter().map(|(key, value)| format!("{} = {value}", short(key)));
    let pairs: Vec<String> = pairs.collect();
    if pairs.is_empty() { "as it is".to_owned() } else { pairs.join(", ") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_choice_at_an_end_of_at_least_three_values_is_said() {
        let one = |rate: f64, q: f64, chosen| Try {
            seed: 1,
            setting: json!({ "rate": rate, "q": q }).as_object().unwrap().clone(),
            validation_welfare: Some(0.0),
            failure: None,
            chosen,
        };
        let rule = |tries| TunedRule {
            rule: "qffl".to_owned(),
            keys: vec!["q".to_owned(), "rate".to_owned()],
            grid: 6,
            tried: 3,
            tries,
        };
        let tried = vec![one(0.1, 1.0, false), one(1.0, 2.0, true), one(0.3, 2.0, false)];
        // Of two exponents any is at an end, which says nothing.
        assert_eq!(at_ends(&rule(tried)), ["qffl rate in 1 of 1"]);
        let inside = vec![one(0.1, 1.0, false), one(1.0, 2.0, false), one(0.3, 2.0, true)];
        assert!(at_ends(&rule(inside)).is_empty());
    }
}
