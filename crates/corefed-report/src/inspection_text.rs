//! A table that was inspected, on a terminal.

use std::fmt::Write as _;

use corefed_documents::{InspectedColumn, Inspection};

use crate::columns as aligned;
use crate::plain::plain;

/// Agents, columns and oddities shown on a terminal; JSON and the page have all.
const SHOWN: usize = 30;
/// Classes that fit beside each other.
const CLASSES: usize = 6;
/// Characters of a name.
const NAME: usize = 28;

/// Columns, agents, and what looks odd.
#[must_use]
pub fn inspection_text(set: &Inspection) -> String {
    let set = &*plain(set);
    let mut text = format!("{}: {} rows, {} columns\n\n", set.name, set.rows, set.columns.len());
    let header = ["column", "holds", "missing", "different", "least", "mean", "most"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows.extend(set.columns.iter().take(SHOWN).map(line));
    text.push_str(&aligned(&rows));
    text.push_str(&more(set.columns.len(), "columns"));
    if !set.agents.is_empty() {
        text.push('\n');
        text.push_str(&aligned(&agents(set)));
        text.push_str(&more(set.agents.len(), "agents"));
        if set.classes.len() > CLASSES {
            let _ =
                writeln!(text, "  and {} more classes; see --json", set.classes.len() - CLASSES);
        }
    }
    if !set.odd.is_empty() {
        text.push_str("\nwhat looks odd:\n");
        for odd in set.odd.iter().take(SHOWN) {
            let _ = writeln!(text, "  {odd}");
        }
        text.push_str(&more(set.odd.len(), "oddities"));
    }
    text
}

fn more(count: usize, what: &str) -> String {
    match count.saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("  and {more} more {what}; see --json\n"),
    }
}

fn line(column: &InspectedColumn) -> Vec<String> {
    let end = |value: &serde_json::Value| match value.as_f64() {
        Some(number) => brief(number),
        None => cut(value.as_str().unwrap_or_default(), 19),
    };
    // The most frequent text stands in for a mean.
    let middle = match (column.mean, column.levels.first()) {
        (Some(mean), _) => brief(mean),
        (None, Some((text, _))) => cut(text, 16),
        (None, None) => String::new(),
    };
    let count = |count: usize| if count == 0 { String::new() } else { count.to_string() };
    vec![
        cut(&column.name, NAME),
        column.kind.clone(),
        count(column.missing),
        count(column.distinct),
        end(&column.least),
        middle,
        end(&column.most),
    ]
}

/// Rows and classes of every agent or, of a quantity, mean and deviation.
fn agents(set: &Inspection) -> Vec<Vec<String>> {
    let quantity = set.target.as_ref().filter(|_| set.classes.is_empty());
    let mut header = vec!["agent".to_owned(), "rows".to_owned()];
    header.extend(set.classes.iter().take(CLASSES).map(|class| cut(class, 12)));
    if let Some(target) = quantity {
        header.extend([format!("mean of {}", cut(target, NAME)), "deviation".to_owned()]);
    }
    let mut rows = vec![header];
    for agent in set.agents.iter().take(SHOWN) {
        let mut row = vec![cut(&agent.name, NAME), agent.rows.to_string()];
        row.extend(agent.labels.values().take(CLASSES).map(ToString::to_string));
        if let Some(target) = quantity {
            let own = agent.numbers.iter().find(|numbers| numbers.column == *target);
            row.extend(
                [own.map(|own| own.mean), own.map(|own| own.deviation)]
                    .map(|value| value.map_or_else(String::new, brief)),
            );
        }
        rows.push(row);
    }
    rows
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// Four significant digits, and no more than it takes.
fn brief(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e9 {
        return format!("{value}");
    }
    if !(1e-4..1e9).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let decimals = (3.0 - value.abs().log10().floor()).clamp(0.0, 8.0) as usize;
    format!("{value:.decimals$}")
}
