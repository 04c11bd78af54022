//! What a column of cells holds: numbers or text.

use std::collections::BTreeSet;

use super::decimal_cell::read_number;
use super::tally::{Tally, Verdict};
use super::{CellError, ColumnType, Missing};
use crate::Table;
use crate::names::excerpt;
use crate::reading::Reading;

/// A feature column, interpreted.
#[derive(Debug, PartialEq)]
pub(super) enum Column<'a> {
    /// All cells are finite numbers, or missing and to be filled: then they are `NaN`.
    Numbers(Vec<f64>),
    /// The distinct cells, sorted by bytes. An empty cell is a level like any other.
    Levels(BTreeSet<&'a str>),
    /// Not to be used.
    Ignored,
}

impl<'a> Column<'a> {
    /// Interprets a column, or names the cell that makes it ambiguous.
    pub(super) fn of(
        table: &'a Table,
        column: usize,
        declared: Option<ColumnType>,
        missing: Missing,
    ) -> Result<(Self, Tally), CellError> {
        let mut numbers = Vec::with_capacity(table.rows());
        let mut tally = Tally::default();
        for row in 0..table.rows() {
            let reading = read_number(table.cell(row, column));
            tally.add(row, reading);
            numbers.push(if let Reading::Finite(value) = reading { value } else { f64::NAN });
        }
        let found = match tally.verdict(declared, missing) {
            Verdict::Numbers => Self::Numbers(numbers),
            Verdict::Levels => {
                Self::Levels((0..table.rows()).map(|r| table.cell(r, column)).collect())
            }
            Verdict::Ignored => Self::Ignored,
            Verdict::Refused { row } => {
                return Err(tally.refusal((table, row, column), declared));
            }
        };
        Ok((found, tally))
    }
}

/// A cell that must be a finite number.
pub(super) fn number(table: &Table, row: usize, column: usize) -> Result<f64, CellError> {
    let cell = table.cell(row, column);
    let place = || table.place(row, column);
    match read_number(cell) {
        Reading::Finite(value) => Ok(value),
        Reading::NotFinite => Err(CellError::NotFinite { place: place(), cell: excerpt(cell) }),
        Reading::Missing | Reading::Word => {
            Err(CellError::Missing { place: place(), cell: excerpt(cell), remedy: None })
        }
        Reading::Text => Err(CellError::NotNumber { place: place(), cell: excerpt(cell) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(cells: &[&str]) -> Table {
        let text = format!("a,x\n_,{}\n", cells.join("\n_,"));
        Table::parse("t.csv", text.as_bytes()).unwrap()
    }

    fn read(table: &Table) -> Result<Column<'_>, CellError> {
        Ok(Column::of(table, 1, None, Missing::Category)?.0)
    }

    #[track_caller]
    fn message(cells: &[&str]) -> String {
        read(&table(cells)).unwrap_err().to_string()
    }

    #[test]
    fn columns_are_numbers_or_levels() {
        let numbers = table(&["1", "-2.5", "1e3", ".5"]);
        assert_eq!(read(&numbers), Ok(Column::Numbers(vec![1.0, -2.5, 1e3, 0.5])));
        let levels = table(&["b", "?", "B", "", "b", "7"]);
        assert_eq!(
            read(&levels),
            Ok(Column::Levels(["", "7", "?", "B", "b"].into_iter().collect()))
        );
    }

    #[test]
    fn one_text_among_numbers_is_an_error() {
        assert_eq!(
            message(&["1", "x7", "3"]),
            "`t.csv`, line 3, column `x`: `x7` is not a number, but 2 of 3 cells of the column are"
        );
        assert_eq!(
            message(&["1", "x"]),
            "`t.csv`, line 3, column `x`: `x` is not a number, but 1 of 2 cells of the column are"
        );
    }

    #[test]
    fn missing_values_among_numbers_are_an_error_however_many() {
        assert_eq!(message(&["1", "", "3"]), "`t.csv`, line 3, column `x`: the value is missing");
        assert_eq!(
            message(&["?", "?", "?", "3"]),
            "`t.csv`, line 2, column `x`: the value is missing (`?`)"
        );
        for word in ["NA", "NaN", "nan", "null", ".", "-", "N/A", "None"] {
            let expected = format!("`t.csv`, line 3, column `x`: the value is missing (`{word}`)");
            assert_eq!(message(&["1", word, "3"]), expected);
        }
    }

    #[test]
    fn infinities_are_an_error_in_any_spelling() {
        for cell in ["inf", "-Inf", "INFINITY", "+infinity", "1e999"] {
            let expected = format!(
                "`t.csv`, line 2, column `x`: `{cell}` is not a finite number within ±1e50"
            );
            assert_eq!(message(&[cell, "1"]), expected);
            assert_eq!(message(&[cell]), expected);
        }
        // Among words, they are words.
        assert!(read(&table(&["inf", "sup", "max"])).is_ok());
    }
}
