//! The column that says for how long, or how many, a row was observed.

use corefed_core::Encoding;

use super::CellError;
use super::columns::number;
use super::intake::changed;
use crate::Table;
use crate::error::DataError;
use crate::names::excerpt;
use crate::reading::LARGEST;

/// The exposure of every row, in file order; empty where the encoding has no such column.
pub fn apply_exposure(table: &Table, encoding: &Encoding) -> Result<Vec<f64>, DataError> {
    let table = changed(table, &encoding.intake)?;
    let rows: Vec<usize> = (0..table.rows()).collect();
    of_rows(&table, &rows, encoding)
}

/// The exposures of some rows; empty where the encoding has no such column.
pub(super) fn of_rows(
    table: &Table,
    rows: &[usize],
    encoding: &Encoding,
) -> Result<Vec<f64>, DataError> {
    let Some(name) = &encoding.exposure_column else { return Ok(Vec::new()) };
    let column = table.column(name)?;
    // Rows to predict need not name an owner.
    let agent = table.column(&encoding.agent_column).ok();
    let exposure = |&row: &usize| {
        let value = number(table, row, column)?;
        if is_exposure(value) {
            return Ok(value);
        }
        let (place, cell) = (table.place(row, column), excerpt(table.cell(row, column)));
        let agent = agent.map(|agent| excerpt(table.cell(row, agent)));
        Err(CellError::Exposure { place, cell, agent }.into())
    };
    rows.iter().map(exposure).collect()
}

/// Whether a number can be an exposure: its log, and sums of many, must be finite.
pub(super) fn is_exposure(value: f64) -> bool {
    (1.0 / LARGEST..=LARGEST).contains(&value)
}
