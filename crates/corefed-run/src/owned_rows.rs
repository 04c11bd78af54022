//! Rows of a table with their owners, as a table that every command reads.

use corefed_data::{Partition, Table};

use crate::csv_text::csv_text;
use crate::{PrepareError, RunError};

/// Name of the column that says who owns a row.
pub const AGENT: &str = "agent";

/// The chosen rows, cell by cell as they were, with their owners first.
pub(crate) fn owned_rows(
    table: &Table,
    owners: &Partition,
    owner_column: Option<&str>,
) -> Result<String, RunError> {
    // A column that names the owners is not repeated as a feature.
    let kept: Vec<usize> = (0..table.columns().len())
        .filter(|&k| owner_column != Some(table.columns()[k].as_str()))
        .collect();
    if kept.iter().any(|&k| table.columns()[k] == AGENT) {
        return Err(
            PrepareError::OwnerColumn { file: table.file().to_owned(), column: AGENT }.into()
        );
    }
    csv_text(|writer| {
        let header = kept.iter().map(|&k| table.columns()[k].as_str());
        writer.write_record([AGENT].into_iter().chain(header))?;
        for agent in owners.agents() {
            for &row in &agent.rows {
                let cells = kept.iter().map(|&k| table.cell(row as usize, k));
                writer.write_record([agent.name.as_str()].into_iter().chain(cells))?;
            }
        }
        Ok(())
    })
}
