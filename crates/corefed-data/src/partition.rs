//! Who owns which row: rows of one data set divided among agents.
//!
//! Every way to divide is a pure function of the labels (or only the number of rows) and a
//! seed. A partition holds indices, so the data stay where they are, be they a table or images.

mod division;
mod error;
mod file;
mod file_error;
mod groups;
mod iid;
mod label_dirichlet;
mod method;
mod quantity_skew;
mod redraw;
mod shards;

use std::collections::BTreeSet;

pub use division::{DivideBy, Division, DivisionError};
pub use error::PartitionError;
pub use file::PartitionFile;
pub use file_error::PartitionFileError;
pub use groups::by_groups;
pub use iid::iid;
pub use label_dirichlet::label_dirichlet;
pub use method::Method;
pub use quantity_skew::quantity_skew;
pub use shards::shards;

use crate::names::excerpt;

/// Most agents of a partition. A column with more distinct values numbers rows, not owners.
pub const MOST_AGENTS: usize = 1 << 20;

/// One agent's rows.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AgentRows {
    /// The owner's name, unique in the partition.
    pub name: String,
    /// Its rows of the data, ascending, counted from zero.
    pub rows: Vec<u32>,
}

/// Rows divided among agents: each row has at most one owner, each agent at least one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    agents: Vec<AgentRows>,
    rows: usize,
}

impl Partition {
    /// Checks and takes an assignment of some of the rows `0..rows`; sorts each agent's rows.
    pub fn new(rows: usize, mut agents: Vec<AgentRows>) -> Result<Self, PartitionError> {
        check_counts(rows, agents.len())?;
        let mut names = BTreeSet::new();
        for (index, agent) in agents.iter().enumerate() {
            let name = || excerpt(&agent.name);
            if agent.name.is_empty() {
                return Err(PartitionError::Unnamed { agent: index });
            }
            if !names.insert(agent.name.as_str()) {
                return Err(PartitionError::TwinAgents { agent: name() });
            }
            if agent.rows.is_empty() {
                return Err(PartitionError::NoRowsOf { agent: name() });
            }
            if let Some(&row) = agent.rows.iter().find(|&&row| row as usize >= rows) {
                return Err(PartitionError::OutOfRange { agent: name(), row, rows });
            }
        }
        check_owners(&agents)?;
        for agent in &mut agents {
            agent.rows.sort_unstable();
        }
        Ok(Self { agents, rows })
    }

    /// Joins the owner of every row to a partition. Every agent must own a row.
    fn of_owners(owners: &[u32], agents: usize) -> Self {
        let mut counts = vec![0; agents];
        for &owner in owners {
            counts[owner as usize] += 1;
        }
        let digits = agents.saturating_sub(1).to_string().len();
        // Numbers of equal length, so that sorting by name keeps the order.
        let name = |index| format!("agent-{index:0digits$}");
        let empty =
            |(index, &count)| AgentRows { name: name(index), rows: Vec::with_capacity(count) };
        let mut agents: Vec<AgentRows> = counts.iter().enumerate().map(empty).collect();
        for (row, &owner) in (0..).zip(owners) {
            agents[owner as usize].rows.push(row);
        }
        Self { agents, rows: owners.len() }
    }

    /// The same data with fewer owned rows: each agent keeps some of those it has.
    pub(crate) fn of_some(&self, agents: Vec<AgentRows>) -> Self {
        Self { agents, rows: self.rows }
    }

    /// The agents, in order.
    #[must_use]
    pub fn agents(&self) -> &[AgentRows] {
        &self.agents
    }

    /// Rows of the data, owned or not.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Rows that have an owner.
    #[must_use]
    pub fn owned(&self) -> usize {
        self.agents.iter().map(|agent| agent.rows.len()).sum()
    }

    /// Whether every row has an owner.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.owned() == self.rows
    }
}

/// What holds for every request: rows have 32-bit numbers, and every agent needs one.
fn check_counts(rows: usize, agents: usize) -> Result<(), PartitionError> {
    if u32::try_from(rows).is_err() {
        return Err(PartitionError::TooManyRows { rows });
    }
    if agents == 0 {
        return Err(PartitionError::NoAgents);
    }
    if agents > MOST_AGENTS {
        return Err(PartitionError::TooManyAgents { agents });
    }
    if agents > rows {
        return Err(PartitionError::TooFewRows { agents, minimum: 1, rows });
    }
    Ok(())
}

/// Refuses a row with two owners.
///
/// By sorting what is listed: a table of all rows would be as large as a file claims they are.
fn check_owners(agents: &[AgentRows]) -> Result<(), PartitionError> {
    let owned = |(index, agent): (usize, &AgentRows)| -> Vec<(u32, usize)> {
        agent.rows.iter().map(|&row| (row, index)).collect()
    };
    let mut owned: Vec<(u32, usize)> = agents.iter().enumerate().flat_map(owned).collect();
    owned.sort_unstable();
    let twice = owned.windows(2).find(|pair| pair[0].0 == pair[1].0);
    twice.map_or(Ok(()), |pair| {
        let [first, second] = [pair[0].1, pair[1].1].map(|index| excerpt(&agents[index].name));
        Err(PartitionError::TwoOwners { row: pair[0].0, first, second })
    })
}

/// Where a part begins when rows are cut into parts whose sizes differ by at most one.
fn even_start(part: usize, parts: usize, rows: usize) -> usize {
    // Parts and rows are below 2^32, so their product fits, and the quotient is at most `rows`.
    let start = part as u64 * rows as u64 / parts as u64;
    usize::try_from(start).unwrap_or(rows)
}

/// Row numbers of a count that has been checked.
fn numbered(rows: usize) -> Vec<u32> {
    (0..).take(rows).collect()
}

#[cfg(test)]
mod tests;
