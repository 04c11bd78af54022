//! What a missing cell means.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::column_type::UnknownChoice;
use crate::names::excerpt;

/// What to do with a cell that is empty, `?`, or a word for a missing value such as `NA`. A row always
/// needs its agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// Refuse it in every column.
    Error,
    /// Take it for a level of its own in a text column; refuse it among numbers and targets.
    Category,
    /// As `Category`, and among numbers let the mean of the others stand in for it.
    Mean,
    /// Leave out every row with a hole in a column that is used, the target included.
    Drop,
    /// As `Mean`, and leave out rows without target.
    #[default]
    Auto,
}

impl Missing {
    /// All policies, from the strictest.
    pub const ALL: [Self; 5] = [Self::Error, Self::Category, Self::Mean, Self::Drop, Self::Auto];

    /// The name in `--missing`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Category => "category",
            Self::Mean => "mean",
            Self::Drop => "drop",
            Self::Auto => "auto",
        }
    }

    /// Whether a hole among texts is a level.
    pub(crate) fn is_level(self) -> bool {
        matches!(self, Self::Category | Self::Mean | Self::Auto)
    }

    /// Whether a hole among numbers is filled.
    pub(crate) fn is_filled(self) -> bool {
        matches!(self, Self::Mean | Self::Auto)
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Missing {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        let known = || Self::ALL.map(Self::name).to_vec();
        let found = Self::ALL.into_iter().find(|policy| policy.name() == name);
        found.ok_or_else(|| UnknownChoice { name: excerpt(name), known: known() })
    }
}
