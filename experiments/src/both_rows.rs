//! Rules on the rows they were trained on, beside rows that they were not.

use crate::judge::Row;
use crate::reading::product;
use crate::results::Results;
use corefed_report::{Cell, Grid};

/// A number of a row of the table, on training and on held-out rows; NaN where there is none.
type Column = (&'static str, fn(&[f64]) -> f64);

const COLUMNS: [Column; 3] = [
    ("average u", |utilities| utilities.iter().sum::<f64>() / utilities.len() as f64),
    ("min u", |utilities| utilities.iter().copied().fold(f64::INFINITY, f64::min)),
    ("product", |utilities| product(utilities).unwrap_or(f64::NAN)),
];

/// Utilities and accuracies on both kinds of rows, over seeds.
pub(crate) fn both_rows(results: &Results<'_>, ceiling: f64) -> Grid {
    let mut header = vec!["rule, all seeds, both kinds of rows".to_owned()];
    for (name, _) in COLUMNS {
        header.extend([name.to_owned(), format!("held-out {name}")]);
    }
    header.extend(["accuracy", "held-out accuracy"].map(str::to_owned));
    let rows = results.rules().into_iter().filter_map(|rule| {
        let own = results.of(rule, ceiling);
        let over = |value: &dyn Fn(&Row) -> f64| spread(own.iter().map(|row| value(row)));
        let mut row = vec![Cell::text(rule)];
        for (_, value) in COLUMNS {
            row.push(over(&|row| value(&row.utilities)));
            row.push(over(&|row| {
                row.held_out_utilities().map_or(f64::NAN, |utilities| value(&utilities))
            }));
        }
        row.push(over(&|row| row.accuracy.unwrap_or(f64::NAN)));
        row.push(over(&|row| row.held_out_accuracy.unwrap_or(f64::NAN)));
        (!own.is_empty()).then_some(row)
    });
    Grid { header, rows: rows.collect() }
}

/// Mean over the seeds that have a number, with the deviation where there are several.
pub(crate) fn spread(values: impl Iterator<Item = f64>) -> Cell {
    let known: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
    if known.is_empty() {
        return Cell::missing();
    }
    corefed_report::tables::spread(known.into_iter(), 3)
}
