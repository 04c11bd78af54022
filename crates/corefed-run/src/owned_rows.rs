//! Rows of a table with their owners, as a table that every command reads.

use corefed_data::{Partition, Table};

use crate::RunError;

/// Name of the column that says who owns a row.
pub const AGENT: &str = "agent";

/// The chosen rows, cell by cell as they were, with their owners first.
pub fn owned_rows(
    table: &Table,
    owners: &Partition,
    owner_column: Option<&str>,
) -> Result<String, RunError> {
    // A column that names the owners is not repeated as a feature.
    let kept: Vec<usize> = (0..table.columns().len())
        .filter(|&k| owner_column != Some(table.columns()[k].as_str()))
        .collect();
    if kept.iter().any(|&k| table.columns()[k] == AGENT) {
        return Err(RunError::OwnerColumn { file: table.file().to_owned(), column: AGENT });
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |error: csv::Error| RunError::Csv { reason: error.to_string() };
    let header = kept.iter().map(|&k| table.columns()[k].as_str());
    writer.write_record([AGENT].into_iter().chain(header)).map_err(failed)?;
    for agent in owners.agents() {
        for &row in &agent.rows {
            let cells = kept.iter().map(|&k| table.cell(row as usize, k));
            writer.write_record([agent.name.as_str()].into_iter().chain(cells)).map_err(failed)?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| RunError::Csv { reason: error.to_string() })?;
    String::from_utf8(bytes).map_err(|error| RunError::Csv { reason: error.to_string() })
}
