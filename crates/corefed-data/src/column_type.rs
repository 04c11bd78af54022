//! What a user may say about the type of a column.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::names::{excerpt, listed};

/// What a column holds, when its cells should not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Every cell is a number.
    Number,
    /// Every distinct cell is a level, even if it looks like a number.
    Text,
    /// It is not a feature.
    Ignore,
    /// Every cell is a date, which becomes a number of days.
    Date,
    /// Every cell is a date, which becomes days, month, day of the week and hour.
    Parts,
}

impl ColumnType {
    /// All types.
    pub const ALL: [Self; 5] = [Self::Number, Self::Text, Self::Ignore, Self::Date, Self::Parts];

    /// The name in `--column`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Text => "text",
            Self::Ignore => "ignore",
            Self::Date => "date",
            Self::Parts => "parts",
        }
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no policy or type has.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{name}` is none of {}", listed(known))]
pub struct UnknownChoice {
    /// What was asked for.
    pub name: String,
    /// What there is.
    pub known: Vec<&'static str>,
}

impl FromStr for ColumnType {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        let known = || Self::ALL.map(Self::name).to_vec();
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| UnknownChoice { name: excerpt(name), known: known() })
    }
}
