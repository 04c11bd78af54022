//! Comma-separated values, with a line of names; nulls are empty.

use std::io::Write;

use corefed_core::{inert_cell, one_line};

use super::{failed, flat, text};
use crate::{LogError, Row};

/// Writes records as CSV, one line each after the names of the columns. Absent values are empty,
/// infinities `inf` and `-inf`, lists and maps JSON. Names are shown, and nothing in a cell is a formula to a
/// spreadsheet; Parquet has them as they are.
pub(crate) fn export_csv<R: Row>(
    records: impl IntoIterator<Item = Result<R, LogError>>,
    out: impl Write,
) -> Result<(), LogError> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(R::COLUMNS.iter().map(|column| column.name)).map_err(failed)?;
    for record in records {
        let record = flat(&record?)?;
        let cells = record.values().map(|cell| {
            let text = text(cell).unwrap_or_default();
            inert_cell(&one_line(&text)).into_owned()
        });
        writer.write_record(cells).map_err(failed)?;
    }
    writer.flush().map_err(failed)
}
