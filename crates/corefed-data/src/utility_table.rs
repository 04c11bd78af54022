//! Utilities of named models to named agents, as printed in a paper or a log.

use std::collections::BTreeMap;
use std::path::Path;

use num_rational::BigRational;

use crate::Table;
use crate::decimal::parse_decimal;
use crate::error::{DataError, UtilityError};
use crate::names::{excerpt, nearest};

/// One row per model, one column per agent; utilities are exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UtilityTable {
    /// Name of the file.
    pub file: String,
    /// Distinct names of the models, at least one.
    pub models: Vec<String>,
    /// Distinct names of the agents, at least two.
    pub agents: Vec<String>,
    /// `utilities[model][agent]`, higher is better.
    pub utilities: Vec<Vec<BigRational>>,
    /// The group of each model, where a column names it.
    pub groups: Option<Vec<String>>,
    /// SHA-256 of the bytes of the file, in hexadecimal.
    pub digest: String,
}

impl UtilityTable {
    /// Reads a CSV file with the header `model,agent,agent,…`.
    pub fn read(path: &Path) -> Result<Self, DataError> {
        Self::read_grouped(path, None)
    }

    /// The same, where one column is not an agent but names the group of a model: its rule, say.
    pub fn read_grouped(path: &Path, group: Option<&str>) -> Result<Self, DataError> {
        Self::from_table(&Table::read(path)?, group)
    }

    /// Parses CSV text; `file` names the source in errors.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, DataError> {
        Self::from_table(&Table::parse(file, bytes)?, None)
    }

    /// Interprets a table whose first column is `model`, and one of the others perhaps a group.
    pub fn from_table(table: &Table, group: Option<&str>) -> Result<Self, DataError> {
        let file = || table.file().to_owned();
        let first = table.columns().first().map_or("", String::as_str);
        if first != "model" {
            return Err(UtilityError::FirstColumn { file: file(), found: excerpt(first) }.into());
        }
        let grouped = group.map(|name| group_column(table, name)).transpose()?;
        let agents: Vec<usize> =
            (1..table.columns().len()).filter(|column| Some(*column) != grouped).collect();
        if agents.len() < 2 {
            return Err(UtilityError::FewAgents { file: file(), found: agents.len() }.into());
        }
        let mut seen = BTreeMap::new();
        let mut utilities = Vec::with_capacity(table.rows());
        for row in 0..table.rows() {
            let (model, line) = (table.cell(row, 0), table.line(row));
            if model.is_empty() {
                return Err(UtilityError::UnnamedModel { file: file(), line }.into());
            }
            if let Some(first) = seen.insert(model, line) {
                let model = excerpt(model);
                return Err(
                    UtilityError::DuplicateModel { file: file(), line, model, first }.into()
                );
            }
            utilities.push(
                agents
                    .iter()
                    .map(|&column| utility(table, row, column))
                    .collect::<Result<_, _>>()?,
            );
        }
        Ok(Self {
            file: file(),
            models: (0..table.rows()).map(|row| table.cell(row, 0).to_owned()).collect(),
            agents: agents.iter().map(|&column| table.columns()[column].clone()).collect(),
            utilities,
            groups: grouped.map(|column| {
                (0..table.rows()).map(|row| table.cell(row, column).to_owned()).collect()
            }),
            digest: table.digest().to_owned(),
        })
    }

    /// Index of the model under audit.
    pub fn incumbent(&self, name: &str) -> Result<usize, DataError> {
        let index = self.models.iter().position(|model| model == name);
        let index = index.ok_or_else(|| UtilityError::UnknownModel {
            file: self.file.clone(),
            model: excerpt(name),
            known: self.models.clone(),
            nearest: nearest(name, &self.models).map(ToOwned::to_owned),
        })?;
        Ok(index)
    }
}

fn group_column(table: &Table, name: &str) -> Result<usize, UtilityError> {
    let column = table.columns().iter().position(|column| column == name);
    column.filter(|&column| column > 0).ok_or_else(|| UtilityError::UnknownGroup {
        file: table.file().to_owned(),
        column: excerpt(name),
        nearest: nearest(name, &table.columns()[1..]).map(ToOwned::to_owned),
    })
}

fn utility(table: &Table, row: usize, column: usize) -> Result<BigRational, UtilityError> {
    let cell = table.cell(row, column);
    parse_decimal(cell).map_err(|problem| UtilityError::Cell {
        place: table.place(row, column),
        model: excerpt(table.cell(row, 0)),
        cell: excerpt(cell),
        problem,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<UtilityTable, DataError> {
        UtilityTable::parse("u.csv", text.as_bytes())
    }

    #[track_caller]
    fn message(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn utilities_are_exact_and_by_model() {
        let table = parse("model,A,B\nfedavg,0.1,2\nnash,-1.5e-1,3e2\n").unwrap();
        assert_eq!(
            (&table.models[..], &table.agents[..]),
            (&["fedavg".to_owned(), "nash".to_owned()][..], &["A".to_owned(), "B".to_owned()][..],)
        );
        let ratio = |n: i64, d: i64| BigRational::new(n.into(), d.into());
        assert_eq!(table.utilities, [[ratio(1, 10), ratio(2, 1)], [ratio(-3, 20), ratio(300, 1)]]);
        assert_eq!(table.digest.len(), 64);
        assert_eq!(table.incumbent("nash").unwrap(), 1);
    }

    #[test]
    fn a_group_is_not_an_agent() {
        let table = Table::parse("u.csv", b"model,A,rule,B\nx,1,fedavg,2\ny,3,afl,4\n").unwrap();
        let grouped = UtilityTable::from_table(&table, Some("rule")).unwrap();
        assert_eq!(grouped.agents, ["A", "B"]);
        assert_eq!(grouped.groups.unwrap(), ["fedavg", "afl"]);
        for wrong in ["Rule", "model"] {
            let error = UtilityTable::from_table(&table, Some(wrong)).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("`u.csv` has no column `{wrong}` to group models by")
            );
        }
    }

    #[test]
    fn unknown_incumbent_lists_the_models() {
        let table = parse("model,A,B\nfedavg,1,2\nnash,2,1\n").unwrap();
        let error = table.incumbent("FedAvgs").unwrap_err();
        assert_eq!(error.to_string(), "`u.csv` has no model `FedAvgs`; it has `fedavg`, `nash`");
        assert_eq!(error.hint().unwrap(), "did you mean `fedavg`?");
    }

    #[test]
    fn the_shape_is_checked() {
        assert_eq!(
            message("name,A,B\nx,1,2\n"),
            "`u.csv`: the first column is `name` but must be `model`"
        );
        assert_eq!(message("model,A\nx,1\n"), "`u.csv` has 1 agent column but needs two or more");
        assert_eq!(message("model,A,B\nx,1,2\n,1,2\n"), "`u.csv`, line 3: the model has no name");
        assert_eq!(
            message("model,A,B\nx,1,2\ny,1,2\nx,3,4\n"),
            "`u.csv`, line 4: model `x` is already on line 2"
        );
    }

    #[test]
    fn cells_that_are_no_decimals_are_named_by_model_and_agent() {
        for (cell, problem) in [
            ("NaN", "the value is not finite"),
            ("-inf", "the value is not finite"),
            ("", "the value is missing"),
            ("good", "the value is not a decimal number"),
            ("1e5000", "the exponent is beyond ±400"),
        ] {
            assert_eq!(
                message(&format!("model,A,B\nx,1,2\ny,3,{cell}\n")),
                format!("`u.csv`, line 3, column `B`: model `y` has `{cell}`: {problem}")
            );
        }
    }
}
