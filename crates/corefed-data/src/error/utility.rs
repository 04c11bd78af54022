//! Why a file is not a table of utilities.

use thiserror::Error;

use super::Place;
use crate::decimal::DecimalError;
use crate::names::listed;

/// Why a file is not a table of utilities, or lacks a model.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum UtilityError {
    /// The header does not start with `model`.
    #[error("`{file}`: the first column is `{found}` but must be `model`")]
    FirstColumn {
        /// Name of the file.
        file: String,
        /// What it starts with.
        found: String,
    },
    /// Nobody to form a coalition with.
    #[error("`{file}` has {found} agent column{} but needs two or more", if *found == 1 { "" } else { "s" })]
    FewAgents {
        /// Name of the file.
        file: String,
        /// Columns after the first.
        found: usize,
    },
    /// A row without name.
    #[error("`{file}`, line {line}: the model has no name")]
    UnnamedModel {
        /// Name of the file.
        file: String,
        /// Line of the row.
        line: usize,
    },
    /// Two rows with one name.
    #[error("`{file}`, line {line}: model `{model}` is already on line {first}")]
    DuplicateModel {
        /// Name of the file.
        file: String,
        /// Line of the second row.
        line: usize,
        /// Their name.
        model: String,
        /// Line of the first row.
        first: usize,
    },
    /// A cell that is not a utility.
    #[error("{place}: model `{model}` has `{cell}`: {problem}")]
    Cell {
        /// Where; the column is the agent.
        place: Place,
        /// The model of the row.
        model: String,
        /// What it says.
        cell: String,
        /// Why it is refused.
        problem: DecimalError,
    },
    /// No column has the name of the groups.
    #[error("`{file}` has no column `{column}` to group models by")]
    UnknownGroup {
        /// Name of the file.
        file: String,
        /// The name asked for.
        column: String,
        /// The column most likely meant.
        nearest: Option<String>,
    },
    /// No row has the name of the incumbent.
    #[error("`{file}` has no model `{model}`; it has {}", listed(known))]
    UnknownModel {
        /// Name of the file.
        file: String,
        /// The name asked for.
        model: String,
        /// The models there are.
        known: Vec<String>,
        /// The model most likely meant.
        nearest: Option<String>,
    },
}

impl UtilityError {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::FirstColumn { .. } | Self::FewAgents { .. } => Some(
                "the header is `model` and the names of the agents, such as `model,A,B`".to_owned(),
            ),
            Self::UnnamedModel { .. } | Self::DuplicateModel { .. } => {
                Some("every model needs a name of its own".to_owned())
            }
            Self::Cell { problem: DecimalError::Exponent, .. } => {
                Some("express the utilities in another unit".to_owned())
            }
            Self::Cell { .. } => Some("give a decimal number such as `-1.25e-3`".to_owned()),
            Self::UnknownModel { nearest, .. } | Self::UnknownGroup { nearest, .. } => {
                nearest.as_ref().map(|name| format!("did you mean `{name}`?"))
            }
        }
    }
}
