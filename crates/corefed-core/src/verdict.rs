//! The answer of an audit: stable, blocked or undecided, never a bool.

use serde::{Deserialize, Serialize};

use crate::Number;

/// Where `kappa` provably lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KappaInterval {
    /// Reached by a known rival and coalition.
    pub lo: Number,
    /// Proven for every rival and every coalition.
    pub hi: Number,
}

/// A coalition that would leave, the rival it would leave for, and what its members gain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// Members by index, ascending.
    pub coalition: Vec<usize>,
    /// Gain of each member, in the same order; infinite for one that has nothing to lose.
    pub gains: Vec<Number>,
    /// The share of the smallest gain that the coalition can secure.
    pub kappa: Number,
}

/// The answer to "is this predictor in the core?".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No coalition can gain: `kappa <= 1 + epsilon` is proven.
    Stable,
    /// A coalition is known that gains: its `kappa` exceeds `1 + epsilon`.
    Blocked,
    /// Neither is known; `kappa` lies in the interval.
    Undecided,
}

impl Verdict {
    /// Reads the verdict off a proven interval (ledger E3).
    #[must_use]
    pub fn from_interval(kappa: KappaInterval, epsilon: f64) -> Self {
        if kappa.lo.0 > 1.0 + epsilon {
            Self::Blocked
        } else if kappa.hi.0 <= 1.0 + epsilon {
            Self::Stable
        } else {
            Self::Undecided
        }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Stable => "stable",
            Self::Blocked => "blocked",
            Self::Undecided => "undecided",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_is_stable_only_when_the_upper_end_is_proven() {
        let verdict =
            |lo, hi| Verdict::from_interval(KappaInterval { lo: Number(lo), hi: Number(hi) }, 1e-6);
        assert_eq!(verdict(1.0, 1.0 + 1e-7), Verdict::Stable);
        assert_eq!(verdict(1.0, 1.1), Verdict::Undecided);
        assert_eq!(verdict(1.01, 1.1), Verdict::Blocked);
        assert_eq!(verdict(f64::INFINITY, f64::INFINITY), Verdict::Blocked);
    }
}
