//! Which rows nobody trains on.

use std::fmt;
use std::str::FromStr;

use corefed_core::Seed;
use corefed_data::source::Rows;
use corefed_data::{Partition, Split, Table, split_groups, split_partition, split_times};

use crate::source::{Dataset, data};
use crate::{PrepareError, RunError, StayError};

/// How the rows are chosen that models are measured on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum HoldOut {
    /// Each for itself, at random.
    #[default]
    Rows,
    /// All rows with the same value of this column together, at random: rows of one patient.
    Group(String),
    /// The latest by this column.
    Time(String),
}

/// Names of the agents that have held-out rows, and the group of each of these rows.
pub(crate) type HeldOutGroups = Vec<(String, Vec<usize>)>;

impl HoldOut {
    /// The column that decides, if one does.
    #[must_use]
    pub fn column(&self) -> Option<&str> {
        match self {
            Self::Rows => None,
            Self::Group(column) | Self::Time(column) => Some(column),
        }
    }

    /// Divides every agent's rows.
    pub(crate) fn split(
        &self,
        set: &Dataset,
        owners: &Partition,
        share: f64,
        seed: Seed,
    ) -> Result<(Split<Partition>, Option<HeldOutGroups>), RunError> {
        let split = match self {
            Self::Rows => return Ok((split_partition(owners, share, seed).map_err(data)?, None)),
            Self::Time(column) => {
                let times = table(set)?.times(column)?;
                (split_times(owners, &times, share).map_err(data)?, None)
            }
            Self::Group(column) => {
                let table = table(set)?;
                let index = table.column(column)?;
                let groups: Vec<&str> =
                    (0..table.rows()).map(|row| table.cell(row, index)).collect();
                let split = split_groups(owners, &groups, share, seed).map_err(data)?;
                let labels = labels(&split.test, &groups);
                (split, Some(labels))
            }
        };
        match self.column() {
            Some(column) if split.0.test.agents().is_empty() => {
                Err(PrepareError::NothingHeldOut { column: column.to_owned() }.into())
            }
            _ => Ok(split),
        }
    }
}

fn table(set: &Dataset) -> Result<&Table, RunError> {
    match &set.rows {
        Rows::Table(table) => Ok(table),
        Rows::Images(_) => Err(PrepareError::NoColumns.into()),
    }
}

/// Groups as numbers, equal where their names are.
fn labels(test: &Partition, groups: &[&str]) -> HeldOutGroups {
    let mut names: Vec<&str> = groups.to_vec();
    names.sort_unstable();
    names.dedup();
    let label = |row: &u32| names.partition_point(|name| *name < groups[*row as usize]);
    let own = |agent: &corefed_data::AgentRows| {
        (agent.name.clone(), agent.rows.iter().map(label).collect())
    };
    test.agents().iter().map(own).collect()
}

impl fmt::Display for HoldOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rows => f.write_str("rows"),
            Self::Group(column) => write!(f, "group:{column}"),
            Self::Time(column) => write!(f, "time:{column}"),
        }
    }
}

impl FromStr for HoldOut {
    type Err = StayError;

    fn from_str(text: &str) -> Result<Self, StayError> {
        match text.split_once(':') {
            Some(("group", column)) if !column.is_empty() => Ok(Self::Group(column.to_owned())),
            Some(("time", column)) if !column.is_empty() => Ok(Self::Time(column.to_owned())),
            None if text == "rows" => Ok(Self::Rows),
            _ => Err(StayError::Split { text: text.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_as_they_are_written() {
        for text in ["rows", "group:patient", "time:day of visit"] {
            assert_eq!(text.parse::<HoldOut>().unwrap().to_string(), text);
        }
        for wrong in ["group", "group:", "weeks", "row:x", ""] {
            assert!(
                wrong.parse::<HoldOut>().unwrap_err().to_string().contains("group:COLUMN"),
                "{wrong}"
            );
        }
    }
}
