//! How sure a statement about held-out data is.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The share of repetitions in which a statement made this way is true, strictly between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "f64"))]
#[serde(try_from = "f64", into = "f64")]
pub struct Level(f64);

/// The level of every statement unless another is asked for, as the paper promises.
pub const DEFAULT_LEVEL: Level = Level(0.90);

/// A number that cannot be a level.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("the level is `{0}`; it must lie strictly between 0 and 1, as 0.9 does")]
pub struct LevelError(pub f64);

impl Level {
    /// Checks and takes a level.
    pub fn new(level: f64) -> Result<Self, LevelError> {
        // The second test refuses levels so close to one that nothing is left for a miss.
        if level > 0.0 && 1.0 - level > 0.0 { Ok(Self(level)) } else { Err(LevelError(level)) }
    }

    /// The level as a number.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }

    /// `d = 1 - level`: how often a statement at this level may be false.
    #[must_use]
    pub fn miss(self) -> f64 {
        1.0 - self.0
    }
}

impl Default for Level {
    fn default() -> Self {
        DEFAULT_LEVEL
    }
}

impl TryFrom<f64> for Level {
    type Error = LevelError;

    fn try_from(level: f64) -> Result<Self, LevelError> {
        Self::new(level)
    }
}

impl From<Level> for f64 {
    fn from(level: Level) -> Self {
        level.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_strictly_between_zero_and_one_are_levels() {
        for bad in [0.0, 1.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(Level::new(bad).is_err(), "{bad}");
        }
        assert_eq!(Level::new(0.9), Ok(DEFAULT_LEVEL));
        assert!((DEFAULT_LEVEL.miss() - 0.1).abs() < 1e-15);
    }

    #[test]
    fn a_level_is_checked_when_it_is_read() {
        assert_eq!(serde_json::from_str::<Level>("0.9").unwrap(), DEFAULT_LEVEL);
        let refused = serde_json::from_str::<Level>("90").unwrap_err().to_string();
        assert!(refused.contains("`90`"), "{refused}");
    }
}
