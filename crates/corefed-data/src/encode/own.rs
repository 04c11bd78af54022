//! One agent's own table, which need not say whose it is.

use std::borrow::Cow;

use corefed_core::{Encoding, Family};

use super::apply::apply;
use crate::error::DataError;
use crate::{ColumnType, Federation, Table};

/// Encodes the rows of one agent with a given encoding.
///
/// Where the table has no column of agents, all rows are the agent's, who must then be named. Where it has one,
/// the named agent's rows are taken; if none of them are its, or nobody is named, all rows are, and the
/// federation says whose they are.
pub fn apply_own(
    table: &Table,
    encoding: &Encoding,
    family: Family,
    agent: Option<&str>,
) -> Result<Federation, DataError> {
    let table = own_table(table, &encoding.agent_column, agent)?;
    apply(&table, encoding, family)
}

/// The rows of one agent, with a column that says so; whose rows are taken is said at [`apply_own`].
pub fn own_table<'a>(
    table: &'a Table,
    agent_column: &str,
    agent: Option<&str>,
) -> Result<Cow<'a, Table>, DataError> {
    Ok(match (table.column(agent_column), agent) {
        (Err(error), None) => return Err(error),
        (Err(_), Some(agent)) => Cow::Owned(table.with_owner(agent_column, agent)),
        (Ok(_), None) => Cow::Borrowed(table),
        (Ok(column), Some(agent)) => {
            let own: Vec<bool> =
                (0..table.rows()).map(|row| table.cell(row, column) == agent.trim()).collect();
            if own.contains(&true) { Cow::Owned(table.of_rows(&own)) } else { Cow::Borrowed(table) }
        }
    })
}

impl Table {
    /// The same table with a last column that says whose every row is.
    fn with_owner(&self, column: &str, agent: &str) -> Self {
        let columns = self.columns().iter().cloned().chain([column.to_owned()]).collect();
        let types = (0..self.columns().len()).filter_map(|k| self.own_type(k));
        let mut types: Vec<ColumnType> = types.collect();
        if !types.is_empty() {
            types.push(ColumnType::Text);
        }
        let mut table = self.emptied(columns, types);
        for row in 0..self.rows() {
            let cells = (0..self.columns().len()).map(|k| self.cell(row, k));
            table.push_row(self.line(row), cells.chain([agent]));
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use corefed_core::{Feature, Intake};

    fn encoding() -> Encoding {
        Encoding {
            agent_column: "who".to_owned(),
            target_column: "y".to_owned(),
            exposure_column: None,
            classes: Vec::new(),
            target_scale: None,
            intake: Intake::default(),
            features: vec![Feature::Numeric {
                column: "x".to_owned(),
                mean: 0.0,
                scale: 1.0,
                missing: None,
            }],
        }
    }

    fn own(csv: &str, agent: Option<&str>) -> Result<Federation, DataError> {
        let table = Table::parse("own.csv", csv.as_bytes())?;
        apply_own(&table, &encoding(), Family::Linear, agent)
    }

    #[test]
    fn a_table_that_does_not_say_whose_it_is_belongs_to_the_named_agent() {
        let named = own("x,y\n1,2\n3,4\n", Some("north")).expect("rows");
        let said = own("who,x,y\nnorth,1,2\nsouth,9,9\nnorth,3,4\n", Some("north")).expect("rows");
        assert_eq!(named.agents().len(), 1);
        assert_eq!(named.agents()[0].name, "north");
        assert_eq!(named.target(), said.target());
        assert_eq!(named.design().dense_rows(0..2), said.design().dense_rows(0..2));
        // Nobody is named, or somebody who is not there: the rows say whose they are.
        let other = own("who,x,y\nsouth,1,2\n", Some("north")).expect("rows");
        assert_eq!(other.agents()[0].name, "south");
        assert!(own("x,y\n1,2\n", None).expect_err("whose?").to_string().contains("who"));
    }
}
