//! Corruptions: low-quality agents, made on purpose.
//!
//! An agent's corruptions are applied one after the other, each from a seed of the agent's name
//! and the step, so that adding a corruption to one agent leaves the others as they are, bit
//! for bit. They are written as `noise:0.5`, and recorded in that form.

mod apply;
mod error;
mod images;
mod list;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use apply::corrupt;
pub use error::CorruptError;
pub use images::{CorruptedImages, corrupt_images};
pub use list::Corruptions;

use crate::names::excerpt;

/// Largest standard deviation of feature noise, in deviations of the feature.
const MOST_NOISE: f64 = 1e6;

/// One way to make data worse.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Corruption {
    /// `noise:STD` adds Gaussian noise to every numeric feature.
    FeatureNoise {
        /// Standard deviation in deviations of the feature over all agents, in 0..=1e6.
        std: f64,
    },
    /// `labels:RATE` moves labels to a different class, each equally likely.
    LabelNoise {
        /// Probability for each label, in 0..=1.
        rate: f64,
    },
    /// `drop:RATE` removes rows, but never all.
    Drop {
        /// Share of the rows, rounded to whole rows, in 0..=1.
        rate: f64,
    },
    /// `duplicate:RATE` has rows twice, the copy next to its original.
    Duplicate {
        /// Share of the rows, rounded to whole rows, in 0..=1.
        rate: f64,
    },
}

impl Corruption {
    /// The word before the colon.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::FeatureNoise { .. } => "noise",
            Self::LabelNoise { .. } => "labels",
            Self::Drop { .. } => "drop",
            Self::Duplicate { .. } => "duplicate",
        }
    }

    /// The number after the colon, and the most it can be.
    fn amount(self) -> (f64, f64) {
        match self {
            Self::FeatureNoise { std } => (std, MOST_NOISE),
            Self::LabelNoise { rate } | Self::Drop { rate } | Self::Duplicate { rate } => {
                (rate, 1.0)
            }
        }
    }

    /// Refuses an amount that makes no sense.
    fn check(self) -> Result<Self, CorruptError> {
        let (amount, most) = self.amount();
        if (0.0..=most).contains(&amount) {
            Ok(self)
        } else {
            Err(CorruptError::Amount { name: self.name(), amount, most })
        }
    }
}

impl fmt::Display for Corruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name(), self.amount().0)
    }
}

impl FromStr for Corruption {
    type Err = CorruptError;

    fn from_str(text: &str) -> Result<Self, CorruptError> {
        let unknown = || CorruptError::Syntax { text: excerpt(text) };
        let (name, amount) = text.trim().split_once(':').ok_or_else(unknown)?;
        let amount: f64 = amount.trim().parse().map_err(|_| unknown())?;
        let corruption = match name.trim() {
            "noise" => Self::FeatureNoise { std: amount },
            "labels" => Self::LabelNoise { rate: amount },
            "drop" => Self::Drop { rate: amount },
            "duplicate" => Self::Duplicate { rate: amount },
            _ => return Err(unknown()),
        };
        corruption.check()
    }
}

impl TryFrom<String> for Corruption {
    type Error = CorruptError;

    fn try_from(text: String) -> Result<Self, CorruptError> {
        text.parse()
    }
}

impl From<Corruption> for String {
    fn from(corruption: Corruption) -> Self {
        corruption.to_string()
    }
}

#[cfg(test)]
mod tests;
