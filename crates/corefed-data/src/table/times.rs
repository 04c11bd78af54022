//! Cells that are moments.

use super::Table;
use crate::date::Moment;
use crate::error::{CellError, DataError};
use crate::names::excerpt;

impl Table {
    /// The cells of a column as moments that can be compared: numbers, or dates such as `2024-03-01`,
    /// `01.03.2024` and `2024-03-01 13:05:00`, all of one kind.
    pub fn times(&self, column: &str) -> Result<Vec<f64>, DataError> {
        let index = self.column(column)?;
        let cell = |row: usize| self.cell(row, index);
        let parse = if number(cell(0)).is_some() { number } else { date };
        let time = |row: usize| {
            parse(cell(row)).ok_or_else(|| CellError::Time {
                place: self.place(row, index),
                cell: excerpt(cell(row)),
            })
        };
        Ok((0..self.rows()).map(time).collect::<Result<_, _>>()?)
    }
}

fn date(cell: &str) -> Option<f64> {
    Moment::of(cell).map(Moment::days)
}

fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_numbers_are_ordered_and_anything_else_is_named() {
        let ordered =
            ["2023-12-31", "2024-01-01", "2024-01-01 00:30", "2024-01-01T13:05:30.5", "2024-02-01"];
        let moments: Vec<f64> = ordered.iter().map(|cell| date(cell).unwrap()).collect();
        assert!(moments.is_sorted_by(|a, b| a < b), "{moments:?}");
        for wrong in ["2024-13-01", "2024-02-30", "03/01/2024", "2024-01-01 25:00", "soon", ""] {
            assert_eq!(date(wrong), None, "{wrong}");
        }
        let table = Table::parse("visits.csv", b"site,day\na,2024-01-01\nb,yesterday\n").unwrap();
        let refused = table.times("day").unwrap_err();
        assert!(refused.to_string().contains("visits.csv"), "{refused}");
        assert!(refused.to_string().contains("line 3"), "{refused}");
        assert!(refused.to_string().contains("yesterday"), "{refused}");
        let mixed = Table::parse("visits.csv", b"site,day\na,7\nb,2024-01-01\n").unwrap();
        assert!(mixed.times("day").is_err(), "a column is of one kind");
    }
}
