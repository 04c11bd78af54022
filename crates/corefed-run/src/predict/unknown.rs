//! Cells that a predictor does not know: found by asking the encoder itself, row by row.

use std::collections::BTreeMap;
use std::ops::Range;

use corefed_core::{Choice, Encoding, Family, Feature};
use corefed_data::{DataError, Design, Table, apply_features};

use crate::RunError;
use crate::csv_text::csv_text;

/// What to do with a row that has a hole, or a level that was not there when the predictor was fitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unknown {
    /// Refuse all rows.
    #[default]
    Error,
    /// Leave the row's prediction empty.
    Blank,
    /// Let the cell count for nothing: a number is the mean of its column, a level is none of the known.
    Neutral,
}

impl Choice for Unknown {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Error, "error", "Refuse the file, and name the first such cell"),
        (Self::Blank, "blank", "Leave the predictions of such rows empty"),
        (
            Self::Neutral,
            "neutral",
            "Let such cells count for nothing: a number is its column's mean, a level is none of the known",
        ),
    ];
}

/// A cell that the predictor does not know.
pub(super) struct BadCell {
    column: String,
    /// The indicator that stands in for it, and must be off.
    pub(super) level: Option<usize>,
}

/// A table whose unknown cells were replaced.
pub(super) struct Repaired {
    pub(super) design: Design,
    /// By row.
    pub(super) cells: BTreeMap<usize, Vec<BadCell>>,
}

/// What stands in for the cells of one column.
struct StandIn<'a> {
    column: &'a str,
    text: String,
    level: Option<usize>,
}

impl Repaired {
    /// A table that needs no repair.
    pub(super) fn whole(design: Design) -> Self {
        Self { design, cells: BTreeMap::new() }
    }

    /// Finds and replaces what the encoder refuses; `error` is why it refused the table. It stands where no
    /// cell is to blame, but a column that is not there.
    pub(super) fn of(
        table: &Table,
        encoding: &Encoding,
        family: Family,
        error: DataError,
    ) -> Result<Self, RunError> {
        let stand_ins = stand_ins(encoding);
        let known = |text: &str| {
            let table = Table::parse(table.file(), text.as_bytes())?;
            apply_features(&table, encoding, family)
        };
        let replaced = |row: usize, bad: &dyn Fn(&str) -> bool| -> Vec<String> {
            let cell = |(at, name): (usize, &String)| {
                let stand_in = stand_ins.iter().find(|own| own.column == name && bad(name));
                stand_in.map_or_else(|| table.cell(row, at).to_owned(), |own| own.text.clone())
            };
            table.columns().iter().enumerate().map(cell).collect()
        };
        let text = |rows: Vec<Vec<String>>| {
            csv_text(|writer| {
                writer.write_record(table.columns())?;
                rows.iter().try_for_each(|row| writer.write_record(row))
            })
        };
        if known(&text(vec![replaced(0, &|_| true)])?).is_err() {
            return Err(error.into());
        }
        let mut cells = BTreeMap::new();
        let mut open: Vec<Range<usize>> = Vec::new();
        open.push(0..table.rows());
        while let Some(range) = open.pop() {
            let rows = range.clone().map(|row| replaced(row, &|_| false)).collect();
            if known(&text(rows)?).is_ok() {
                continue;
            }
            if range.len() > 1 {
                let middle = range.start + range.len() / 2;
                open.extend([range.start..middle, middle..range.end]);
                continue;
            }
            let mut bad = Vec::new();
            for own in &stand_ins {
                // All others are fine, so this one is to blame.
                if known(&text(vec![replaced(range.start, &|name| name != own.column)])?).is_err() {
                    bad.push(BadCell { column: own.column.to_owned(), level: own.level });
                }
            }
            cells.insert(range.start, bad);
        }
        let is_bad = |row: usize, name: &str| {
            cells
                .get(&row)
                .is_some_and(|bad: &Vec<BadCell>| bad.iter().any(|cell| cell.column == name))
        };
        let rows = (0..table.rows()).map(|row| replaced(row, &|name| is_bad(row, name))).collect();
        let design = known(&text(rows)?)?;
        Ok(Self { design, cells })
    }

    /// Which columns have unknown cells, how many, and what became of their rows.
    pub(super) fn notes(&self, table: &Table, unknown: Unknown) -> Vec<String> {
        let mut columns: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (row, bad) in &self.cells {
            for cell in bad {
                columns.entry(&cell.column).or_default().push(*row);
            }
        }
        let became = match unknown {
            Unknown::Neutral => "they count for nothing",
            Unknown::Blank | Unknown::Error => "their rows have no prediction",
        };
        let note = |(column, rows): (&str, Vec<usize>)| {
            let at = table.columns().iter().position(|name| name == column).unwrap_or_default();
            let (count, line) = (rows.len(), table.line(rows[0]));
            let cells = if count == 1 { "cell" } else { "cells" };
            let first = table.cell(rows[0], at);
            format!(
                "column `{column}`: {count} unknown {cells}, first `{first}` on line {line}; {became}"
            )
        };
        columns.into_iter().map(note).collect()
    }
}

/// A value of every column that the predictor knows.
fn stand_ins(encoding: &Encoding) -> Vec<StandIn<'_>> {
    let mut found: Vec<StandIn<'_>> = Vec::new();
    for (at, feature) in encoding.features.iter().enumerate() {
        match feature {
            // Digits that read back as the mean itself, which is zero when it is standardised.
            Feature::Numeric { column, mean, .. } => {
                found.push(StandIn { column, text: format!("{mean:?}"), level: None });
            }
            Feature::Level { column, level } if !level.is_empty() => {
                if !found.iter().any(|own| own.column == column) {
                    found.push(StandIn { column, text: level.clone(), level: Some(at) });
                }
            }
            Feature::Level { .. } | Feature::Intercept => {}
        }
    }
    found
}
