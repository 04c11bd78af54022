//! Rows as CSV.

use crate::RunError;

/// The text of a table that `write` fills.
pub(crate) fn csv_text(
    write: impl FnOnce(&mut csv::Writer<Vec<u8>>) -> csv::Result<()>,
) -> Result<String, RunError> {
    let failed = |reason: String| RunError::Csv { reason };
    let mut writer = csv::Writer::from_writer(Vec::new());
    write(&mut writer).map_err(|error| failed(error.to_string()))?;
    let bytes = writer.into_inner().map_err(|error| failed(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| failed(error.to_string()))
}
