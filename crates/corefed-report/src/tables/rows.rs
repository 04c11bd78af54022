//! Rules on the rows they were trained on, beside rows that neither trained nor chose.

use corefed_documents::{ComparedRun, Comparison, Measured};

use super::comparison::spread;
use crate::{Cell, Grid};

/// A column of a rule, for either kind of rows.
type Column = (&'static str, fn(&Measured) -> Option<f64>);

const COLUMNS: [Column; 6] = [
    ("loss", |rows| mean(&rows.losses)),
    ("average u", |rows| mean(&rows.utilities)),
    ("min u", |rows| Some(rows.smallest())),
    ("floored log-welfare", |rows| rows.floored_log_welfare),
    ("product", |rows| Some(product(&rows.utilities))),
    ("accuracy", |rows| rows.accuracy),
];

/// Every measure on training rows and on held-out rows; `None` where nobody kept rows back.
#[must_use]
pub(super) fn both_rows(document: &Comparison, rules: &[&str]) -> Option<Grid> {
    let runs = &document.runs;
    if runs.iter().all(|run| run.held_out.is_none()) {
        return None;
    }
    let known = |column: &Column| runs.iter().any(|run| (column.1)(&run.training).is_some());
    let columns: Vec<Column> = COLUMNS.into_iter().filter(known).collect();
    let mut header = vec!["rule".to_owned()];
    header.extend(
        columns.iter().flat_map(|(name, _)| [(*name).to_owned(), format!("held-out {name}")]),
    );
    let rows = rules.iter().map(|&rule| {
        let own: Vec<&ComparedRun> = runs.iter().filter(|run| run.rule == rule).collect();
        let over = |values: Option<Vec<f64>>| match values {
            Some(values) if !values.is_empty() => spread(values.into_iter(), 4),
            _ => Cell::missing(),
        };
        let mut row = vec![Cell::text(rule)];
        for (_, value) in &columns {
            row.push(over(own.iter().map(|run| value(&run.training)).collect()));
            row.push(over(own.iter().map(|run| run.held_out.as_ref().and_then(value)).collect()));
        }
        row
    });
    Some(Grid { header, rows: rows.collect() })
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Zero where somebody has nothing: two losses must not make a gain.
fn product(utilities: &[f64]) -> f64 {
    utilities.iter().map(|u| u.max(0.0)).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_negative_utilities_make_no_product() {
        assert_eq!(product(&[-2.0, -3.0]), 0.0);
        assert_eq!(product(&[2.0, 3.0]), 6.0);
    }
}
