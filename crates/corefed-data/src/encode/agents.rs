//! Who owns which row.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::CellError;
use crate::{Agent, Table};

/// The agents of a table, and its rows sorted by agent.
#[derive(Debug)]
pub(super) struct Owners {
    /// In order of first appearance, with their ranges of `rows`.
    pub(super) agents: Vec<Agent>,
    /// Rows of the table, grouped by agent and otherwise in file order.
    pub(super) rows: Vec<usize>,
}

impl Owners {
    /// Groups the rows of a table by the text of one column.
    pub(super) fn of(table: &Table, column: usize) -> Result<Self, CellError> {
        let mut indices = BTreeMap::new();
        let mut owned: Vec<(&str, Vec<usize>)> = Vec::new();
        for row in 0..table.rows() {
            let name = table.cell(row, column);
            if name.is_empty() {
                return Err(CellError::UnnamedAgent { place: table.place(row, column) });
            }
            let index = match indices.entry(name) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => {
                    owned.push((name, Vec::new()));
                    *entry.insert(owned.len() - 1)
                }
            };
            owned[index].1.push(row);
        }
        let mut agents = Vec::with_capacity(owned.len());
        let mut rows = Vec::with_capacity(table.rows());
        for (name, mut own) in owned {
            let start = rows.len();
            rows.append(&mut own);
            agents.push(Agent { name: name.to_owned(), rows: start..rows.len() });
        }
        Ok(Self { agents, rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_grouped_by_first_appearance_and_stay_in_order() {
        let table = Table::parse("t.csv", b"who\nb\na\nb\nc\na\n").unwrap();
        let owners = Owners::of(&table, 0).unwrap();
        assert_eq!(owners.rows, [0, 2, 1, 4, 3]);
        let named: Vec<_> =
            owners.agents.iter().map(|a| (a.name.as_str(), a.rows.clone())).collect();
        assert_eq!(named, [("b", 0..2), ("a", 2..4), ("c", 4..5)]);
    }

    #[test]
    fn a_row_without_owner_is_named() {
        let table = Table::parse("t.csv", b"x,who\n1,a\n2, \n").unwrap();
        let error = Owners::of(&table, 1).unwrap_err().to_string();
        assert_eq!(error, "`t.csv`, line 3, column `who`: the row names no agent");
    }
}
