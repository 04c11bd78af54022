//! What a user may say about columns: their types, and what a missing cell means.

use std::fmt;
use std::str::FromStr;

use corefed_core::Family;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{EncodeOptions, FitError};
use crate::Table;
use crate::error::DataError;
use crate::missing::Missing;
use crate::names::{excerpt, listed};

/// What a column holds, when its cells should not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Every cell is a number.
    Number,
    /// Every distinct cell is a level, even if it looks like a number.
    Text,
    /// It is no feature.
    Ignore,
}

impl ColumnType {
    /// All types.
    pub const ALL: [Self; 3] = [Self::Number, Self::Text, Self::Ignore];

    /// The name in `--column`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Text => "text",
            Self::Ignore => "ignore",
        }
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no policy, or no type.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{name}` is none of {}", listed(known))]
pub struct UnknownChoice {
    /// What was asked for.
    pub name: String,
    /// What there is.
    pub known: Vec<&'static str>,
}

impl FromStr for Missing {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        let known = || Self::ALL.map(Self::name).to_vec();
        let found = Self::ALL.into_iter().find(|policy| policy.name() == name);
        found.ok_or_else(|| UnknownChoice { name: excerpt(name), known: known() })
    }
}

impl FromStr for ColumnType {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        let known = || Self::ALL.map(Self::name).to_vec();
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| UnknownChoice { name: excerpt(name), known: known() })
    }
}

/// What every column of a header is for.
#[derive(Debug)]
pub(super) struct Schema {
    /// Index of the column of owners.
    pub(super) agent: usize,
    /// Index of the column to predict.
    pub(super) target: usize,
    /// Index of the column of exposures.
    pub(super) exposure: Option<usize>,
    /// The declared type of every column; `None` lets its cells decide.
    pub(super) types: Vec<Option<ColumnType>>,
}

impl Schema {
    /// Finds the columns that the options name.
    pub(super) fn of(table: &Table, options: &EncodeOptions) -> Result<Self, DataError> {
        let agent = table.column(&options.agent_column)?;
        let target = table.column(&options.target_column)?;
        let file = || table.file().to_owned();
        if agent == target {
            let column = options.agent_column.clone();
            return Err(FitError::AgentIsTarget { file: file(), column }.into());
        }
        let exposure = match &options.exposure_column {
            Some(name) => Some(exposure(table, name, (agent, target), options.family)?),
            None => None,
        };
        let mut types = vec![None; table.columns().len()];
        for (name, kind) in &options.types {
            let index = table.column(name)?;
            let column = excerpt(name);
            if index == agent || index == target {
                return Err(FitError::TypedRole { file: file(), column }.into());
            }
            if exposure == Some(index) {
                return Err(FitError::TypedExposure { file: file(), column }.into());
            }
            if types[index].replace(*kind).is_some() {
                return Err(FitError::TypedTwice { file: file(), column }.into());
            }
        }
        if options.raw {
            // Raw data are numbers; a type that was asked for by name still counts.
            for kind in &mut types {
                kind.get_or_insert(ColumnType::Number);
            }
        }
        Ok(Self { agent, target, exposure, types })
    }

    /// The columns that may become features, in the order of the file.
    pub(super) fn features(&self) -> impl Iterator<Item = usize> {
        let roles = [Some(self.agent), Some(self.target), self.exposure];
        (0..self.types.len()).filter(move |&index| !roles.contains(&Some(index)))
    }
}

/// The column of exposures, which must have no other role.
fn exposure(
    table: &Table,
    name: &str,
    (agent, target): (usize, usize),
    family: Family,
) -> Result<usize, DataError> {
    let (file, index) = (table.file().to_owned(), table.column(name)?);
    let column = excerpt(name);
    if !family.takes_exposure() {
        return Err(FitError::NoExposure { file, column, family }.into());
    }
    if index == agent || index == target {
        return Err(FitError::ExposureTaken { file, column }.into());
    }
    Ok(index)
}
