//! What a missing cell means.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What to do with a feature's cell that is empty or `?`. A row always needs its agent and its
/// target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// Refuse it in every column.
    Error,
    /// Take it for a level of its own in a text column; refuse it among numbers.
    #[default]
    Category,
    /// As `Category`, and among numbers let the mean of the others stand in for it.
    Mean,
}

impl Missing {
    /// All policies, from the strictest.
    pub const ALL: [Self; 3] = [Self::Error, Self::Category, Self::Mean];

    /// The name in `--missing`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Category => "category",
            Self::Mean => "mean",
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
