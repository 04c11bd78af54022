//! Natural agents: a column says who owns the row.

use std::collections::BTreeMap;

use super::{AgentRows, MOST_AGENTS, Partition, PartitionError, check_counts};
use crate::names::excerpt;

/// One agent for each distinct name, in order of first appearance.
pub fn by_groups<S: AsRef<str>>(groups: &[S]) -> Result<Partition, PartitionError> {
    let rows = groups.len();
    check_counts(rows, 1)?;
    let mut indices = BTreeMap::new();
    let mut agents: Vec<AgentRows> = Vec::new();
    for (row, name) in (0..).zip(groups) {
        let name = name.as_ref();
        if name.is_empty() {
            return Err(PartitionError::UnnamedGroup { row: row as usize });
        }
        let index = *indices.entry(name).or_insert_with(|| {
            // Beyond the limit the distinct names are only counted, for the message.
            if agents.len() < MOST_AGENTS {
                agents.push(AgentRows { name: name.to_owned(), rows: Vec::new() });
            }
            agents.len() - 1
        });
        agents[index].rows.push(row);
    }
    check_counts(rows, indices.len())?;
    match &agents[..] {
        [only] => Err(PartitionError::OneGroup { agent: excerpt(&only.name), rows }),
        _ => Ok(Partition { agents, rows }),
    }
}
