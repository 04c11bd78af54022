//! The answer of an audit: stable, blocked, improvable or undecided, never a bool.

use serde::{Deserialize, Serialize};

use crate::Number;

/// Where `kappa` provably lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KappaInterval {
    /// Reached by a known rival and coalition.
    pub lo: Number,
    /// Proven for every rival and every coalition.
    pub hi: Number,
}

/// A coalition that would leave, the rival it would leave for, and what its members gain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// Members by index, ascending.
    pub coalition: Vec<usize>,
    /// Gain of each member, in the same order; infinite for one that has nothing to lose.
    pub gains: Vec<Number>,
    /// The share of the smallest gain that the coalition can secure.
    pub kappa: Number,
}

impl KappaInterval {
    /// What is known before anything is looked at.
    pub const UNKNOWN: Self = Self { lo: Number(0.0), hi: Number(f64::INFINITY) };

    /// What nobody has reached, and nothing exceeds.
    pub(crate) const NOTHING: Self = Self { lo: Number(0.0), hi: Number(0.0) };

    /// An interval by its ends.
    #[must_use]
    pub fn new(lo: f64, hi: f64) -> Self {
        Self { lo: Number(lo), hi: Number(hi) }
    }
}

/// With every digit: what is rounded might say more than is proven.
impl std::fmt::Display for KappaInterval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[{}, {}]", self.lo.0, self.hi.0)
    }
}

/// The answer to "is this predictor in the core?", up to a tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No group gains more than its share allows, and nothing is better for everybody: both are
    /// proven, up to the tolerance.
    Stable,
    /// A group, not everybody, is known that gains by leaving.
    Blocked,
    /// No group is known that gains by leaving, but everybody could gain at once: the model is not
    /// Pareto-optimal, and training further is better for all.
    Improvable,
    /// None of these is known.
    Undecided,
}

/// The tolerance of a verdict on an optimum, which is solved to more digits than this.
pub const OPTIMUM_TOLERANCE: f64 = 1e-6;
/// The tolerance of a verdict on a trained model: gains below one per cent go unnoticed.
pub const TRAINED_TOLERANCE: f64 = 1e-2;
/// Beyond this tolerance `stable` would say nothing.
pub const LARGEST_TOLERANCE: f64 = 0.1;

/// Whether a factor is above one by more than the tolerance. Near one the difference is exact, where
/// `1 + tolerance` would round: everything that sets factors beside a verdict asks here, so that it agrees with it.
///
/// ```
/// use corefed_core::exceeds;
///
/// assert!(exceeds(1.01, 0.01), "1.01 is 1.010000000000000009");
/// assert!(!exceeds(1.001, 0.01) && exceeds(f64::INFINITY, 0.1));
/// ```
#[must_use]
pub fn exceeds(factor: f64, tolerance: f64) -> bool {
    factor - 1.0 > tolerance
}

impl Verdict {
    /// Reads the verdict off proven intervals (ledger E3): `kappa` over the coalitions that leave
    /// somebody behind, and the factor by which everybody can gain at once.
    #[must_use]
    pub(crate) fn judge(kappa: KappaInterval, everybody: KappaInterval, tolerance: f64) -> Self {
        let above = |end: Number| exceeds(end.0, tolerance);
        if above(kappa.lo) {
            Self::Blocked
        } else if above(everybody.lo) {
            Self::Improvable
        } else if !above(kappa.hi) && !above(everybody.hi) {
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
            Self::Improvable => "improvable",
            Self::Undecided => "undecided",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kappa::Kappa;

    #[test]
    fn factors_are_written_with_every_digit() {
        assert_eq!(KappaInterval::new(0.75, 1.0 / 3.0).to_string(), "[0.75, 0.3333333333333333]");
        assert_eq!(KappaInterval::UNKNOWN.to_string(), "[0, inf]");
        let third = num_rational::BigRational::new(1.into(), 3.into());
        assert_eq!(Kappa::Finite(third).to_string(), "1/3");
        assert_eq!(Kappa::<f64>::Infinite.to_string(), "infinite");
    }

    #[test]
    fn the_verdict_is_stable_only_when_both_upper_ends_are_proven() {
        let verdict = |kappa: (f64, f64), everybody: (f64, f64)| {
            let interval = |(lo, hi)| KappaInterval::new(lo, hi);
            Verdict::judge(interval(kappa), interval(everybody), 1e-6)
        };
        let still = (1.0, 1.0 + 1e-7);
        assert_eq!(verdict((0.8, 1.0), still), Verdict::Stable);
        assert_eq!(verdict((0.8, 1.1), still), Verdict::Undecided);
        assert_eq!(verdict((0.8, 1.0), (1.0, 1.1)), Verdict::Undecided);
        assert_eq!(verdict((0.8, 1.0), (1.05, 1.1)), Verdict::Improvable);
        assert_eq!(verdict((1.01, 1.1), (1.05, 1.1)), Verdict::Blocked);
        let infinite = (f64::INFINITY, f64::INFINITY);
        assert_eq!(verdict(infinite, (0.0, 0.0)), Verdict::Blocked);
        assert_eq!(
            Verdict::judge(KappaInterval::UNKNOWN, KappaInterval::UNKNOWN, 0.1),
            Verdict::Undecided
        );
    }
}
