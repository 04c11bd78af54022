//! Filling a grid column by column.

use super::grid::{Column, Contents, Grid, MISSING, Place, number, trim};
use super::value::Value;

impl Grid {
    /// Sets one cell, for files that come column by column.
    pub(super) fn set(&mut self, column: usize, row: usize, cell: Value<'_>) {
        if row >= self.rows {
            self.grow(row + 1);
        }
        let Column { place, contents, .. } = &mut self.columns[column];
        match contents {
            Contents::Skipped => {}
            Contents::Numbers(tally) => {
                let reading = cell.reading();
                tally.add(row, reading);
                match *place {
                    Place::Target => self.target_numbers[row] = number(reading),
                    Place::Feature(slot) => {
                        self.numbers[row * self.number_columns + slot] = number(reading);
                    }
                    Place::Agent => {}
                }
            }
            Contents::Texts(dictionary) => {
                let code = match cell {
                    Value::Missing => dictionary.code("", row),
                    Value::Text(text) => dictionary.code(trim(text), row),
                    Value::Whole(_) | Value::Float(_) => dictionary.code(&cell.to_string(), row),
                };
                match *place {
                    Place::Agent => self.agents[row] = code,
                    Place::Target => self.target_codes[row] = code,
                    Place::Feature(slot) => self.codes[row * self.code_columns + slot] = code,
                }
            }
            Contents::Counted(tally) => tally.add(row, cell.reading()),
        }
    }

    fn grow(&mut self, rows: usize) {
        self.rows = rows;
        self.numbers.resize(rows * self.number_columns, MISSING);
        self.codes.resize(rows * self.code_columns, 0);
        for Column { place, contents, .. } in &self.columns {
            match (place, contents) {
                (Place::Agent, _) => self.agents.resize(rows, 0),
                (Place::Target, Contents::Numbers(_)) => self.target_numbers.resize(rows, MISSING),
                (Place::Target, _) => self.target_codes.resize(rows, 0),
                (Place::Feature(_), _) => {}
            }
        }
    }
}
