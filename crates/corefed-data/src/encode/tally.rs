//! Deciding whether a column holds numbers or text, from counts of what its cells look like.

use super::{CellError, ColumnType, Missing};
use crate::Table;
use crate::names::excerpt;
use crate::reading::Reading;

/// How many cells of a column look like what, and where the first odd ones are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    rows: usize,
    /// Cells that are numbers, finite or not.
    numeric: usize,
    missing: usize,
    first_missing: Option<usize>,
    /// Cells with a word for a missing value.
    words: usize,
    first_word: Option<usize>,
    /// The first cell that is neither missing nor a finite number.
    first_odd: Option<usize>,
}

/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Finite numbers, and missing cells only where the policy fills them.
    Numbers,
    /// Texts.
    Levels,
    /// Not to be used.
    Ignored,
    /// Neither, because of the cell in this row.
    Refused {
        /// The first row to blame.
        row: usize,
    },
}

impl Tally {
    /// Counts the cell of a row.
    pub(super) fn add(&mut self, row: usize, reading: Reading) {
        self.add_many(row, reading, 1);
    }

    /// Counts equal cells, of which `row` is the first.
    pub(super) fn add_many(&mut self, row: usize, reading: Reading, count: usize) {
        let first = |known: Option<usize>| Some(known.map_or(row, |known| known.min(row)));
        self.rows += count;
        match reading {
            Reading::Finite(_) => self.numeric += count,
            Reading::NotFinite => {
                self.numeric += count;
                self.first_odd = first(self.first_odd);
            }
            Reading::Missing => {
                self.missing += count;
                self.first_missing = first(self.first_missing);
            }
            Reading::Word => {
                self.words += count;
                self.first_word = first(self.first_word);
            }
            Reading::Text => self.first_odd = first(self.first_odd),
        }
    }

    /// How many cells are missing in a column of this declared type.
    pub(super) fn holes(&self, declared: Option<ColumnType>) -> usize {
        self.missing + if declared == Some(ColumnType::Text) { 0 } else { self.words }
    }

    /// How many cells are there at all.
    pub(super) fn present(&self) -> usize {
        self.rows - self.holes(None)
    }

    /// The first cell that is missing in a column of this declared type.
    fn first_hole(&self, declared: Option<ColumnType>) -> Option<usize> {
        let word = self.first_word.filter(|_| declared != Some(ColumnType::Text));
        [self.first_missing, word].into_iter().flatten().min()
    }

    /// Whether half of the cells that are not missing are numbers. One that is not is then far
    /// more likely a slip than a category, and one-hot encoding the numbers would hide it.
    pub(super) fn mostly_numbers(&self) -> bool {
        self.numeric > 0 && 2 * self.numeric >= self.present()
    }

    /// What the column is, unless it was declared.
    pub(super) fn verdict(&self, declared: Option<ColumnType>, missing: Missing) -> Verdict {
        match declared {
            Some(ColumnType::Ignore) => Verdict::Ignored,
            // Dates have become numbers before anybody counts.
            Some(ColumnType::Number | ColumnType::Date | ColumnType::Parts) => {
                self.numbers(missing)
            }
            None if self.mostly_numbers() => self.numbers(missing),
            Some(ColumnType::Text) | None => match self.first_hole(declared) {
                Some(row) if !missing.is_level() => Verdict::Refused { row },
                _ => Verdict::Levels,
            },
        }
    }

    fn numbers(&self, missing: Missing) -> Verdict {
        // A mean needs a number.
        let filled = missing.is_filled() && self.numeric > 0;
        let first_hole = self.first_hole(None).filter(|_| !filled);
        let first = [first_hole, self.first_odd].into_iter().flatten().min();
        first.map_or(Verdict::Numbers, |row| Verdict::Refused { row })
    }

    /// Why a cell was refused; `row` is its row in `table`, which may hold that row only.
    pub(super) fn refusal(
        &self,
        (table, row, column): (&Table, usize, usize),
        declared: Option<ColumnType>,
    ) -> CellError {
        let text = declared == Some(ColumnType::Text) || !self.mostly_numbers();
        let text = text && declared != Some(ColumnType::Number);
        let (place, cell) = (table.place(row, column), excerpt(table.cell(row, column)));
        match Reading::of(table.cell(row, column)) {
            Reading::Missing | Reading::Word => {
                let remedy = if text { Missing::Category } else { Missing::Mean };
                CellError::Missing { place, cell, remedy: Some(remedy) }
            }
            Reading::Finite(_) | Reading::NotFinite => CellError::NotFinite { place, cell },
            Reading::Text if declared.is_some() => CellError::NotNumber { place, cell },
            Reading::Text => {
                CellError::Mixed { place, cell, numeric: self.numeric, rows: self.rows }
            }
        }
    }
}
