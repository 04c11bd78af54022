//! Why weights or ceilings do not fit the agents.

use thiserror::Error;

use super::Place;
use crate::decimal::DecimalError;
use crate::names::listed;

/// Why numbers and agents do not match.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentValueError {
    /// A name that no agent of the federation has.
    #[error("{place}: the federation has no agent `{agent}`; it has {}", listed(known))]
    Unknown {
        /// Where.
        place: Place,
        /// The name.
        agent: String,
        /// The agents there are.
        known: Vec<String>,
        /// The agent most likely meant.
        nearest: Option<String>,
    },
    /// An agent named a second time.
    #[error("{place}: agent `{agent}` is already on line {first}")]
    Duplicate {
        /// Where.
        place: Place,
        /// The agent.
        agent: String,
        /// Line of its first mention.
        first: usize,
    },
    /// An agent that is not in the file.
    #[error("`{file}`: no `{column}` for agent `{agent}`")]
    Absent {
        /// Name of the file.
        file: String,
        /// The column of numbers.
        column: String,
        /// The agent.
        agent: String,
    },
    /// A cell that is not a number.
    #[error("{place}: agent `{agent}` has `{cell}`: {problem}")]
    Cell {
        /// Where.
        place: Place,
        /// Whose.
        agent: String,
        /// What it says.
        cell: String,
        /// Why it is refused.
        problem: DecimalError,
    },
    /// Zero or less where only a positive number makes sense.
    #[error("{place}: agent `{agent}` has `{cell}`, which is not positive")]
    NotPositive {
        /// Where.
        place: Place,
        /// Whose.
        agent: String,
        /// What it says.
        cell: String,
    },
}

impl AgentValueError {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown { nearest, .. } => {
                nearest.as_ref().map(|name| format!("did you mean `{name}`?"))
            }
            Self::Duplicate { .. } | Self::Absent { .. } => {
                Some("the file needs one line per agent".to_owned())
            }
            Self::Cell { .. } => Some("give a number such as `1.5` or `2e-3`".to_owned()),
            Self::NotPositive { .. } => Some("give a number above zero".to_owned()),
        }
    }
}
