//! The say of each agent, as a user writes it.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use corefed_core::WeightPolicy;
use corefed_data::{DataError, Sign, Table, agent_values};

use crate::TextError;
use crate::data_source::is_file;

/// Where weights come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WeightsBy {
    /// One agent, one say.
    Equal,
    /// In proportion to rows.
    Samples,
    /// A CSV file with columns `agent,weight`.
    File(PathBuf),
}

impl WeightsBy {
    /// What may be written.
    pub(crate) const WANTED: &str = "`equal`, `samples` or a .csv file";
}

impl WeightsBy {
    /// The policy for these agents; reads the file, if it is one.
    pub fn policy<'a>(
        &self,
        agents: impl Iterator<Item = &'a str>,
    ) -> Result<WeightPolicy, DataError> {
        Ok(match self {
            Self::Equal => WeightPolicy::Equal,
            Self::Samples => WeightPolicy::Samples,
            Self::File(path) => {
                let table = Table::read(path)?;
                WeightPolicy::PerAgent(agent_values(&table, "weight", agents, Sign::Positive)?)
            }
        })
    }
}

impl FromStr for WeightsBy {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        match text {
            "equal" => Ok(Self::Equal),
            "samples" => Ok(Self::Samples),
            _ if is_file(text) => Ok(Self::File(text.into())),
            _ => Err(TextError::Expected { wanted: Self::WANTED, text: text.to_owned() }),
        }
    }
}

impl fmt::Display for WeightsBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equal => f.write_str("equal"),
            Self::Samples => f.write_str("samples"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}
