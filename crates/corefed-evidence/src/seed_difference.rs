//! Differences between pairs, such as two rules from the same seeds: is there one beyond noise?

use corefed_core::student_t_quantile;
use serde::{Deserialize, Serialize};

use crate::Level;

/// Fewer pairs than this say too little about how much they vary.
const FEWEST_PAIRS: usize = 3;

/// What the differences of pairs say about their mean (ledger E51).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SeedDifference {
    /// How many pairs.
    pub pairs: usize,
    /// In how many the difference is above zero.
    pub larger: usize,
    /// Mean difference.
    pub mean: f64,
    /// Where the mean lies, at the level; absent with fewer than three pairs.
    pub interval: Option<Ends>,
    /// What that says.
    pub reading: Reading,
}

/// Both ends of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ends {
    /// The lower one.
    pub lo: f64,
    /// The upper one.
    pub hi: f64,
}

/// What an interval for a mean difference says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// All of it is above zero.
    Larger,
    /// All of it is below zero.
    Smaller,
    /// It holds zero.
    WithinNoise,
    /// There is none.
    TooFew,
}

impl SeedDifference {
    /// Reads finite differences; `None` without any.
    #[must_use]
    pub fn of(differences: &[f64], level: Level) -> Option<Self> {
        let pairs = differences.len();
        if pairs == 0 {
            return None;
        }
        let mean = differences.iter().sum::<f64>() / pairs as f64;
        let interval = (pairs >= FEWEST_PAIRS).then(|| {
            let squares: f64 = differences.iter().map(|d| (d - mean) * (d - mean)).sum();
            let freedom = pairs - 1;
            let error = (squares / freedom as f64 / pairs as f64).sqrt();
            let half = student_t_quantile(1.0 - 0.5 * level.miss(), freedom as f64) * error;
            Ends { lo: mean - half, hi: mean + half }
        });
        let reading = match interval {
            None => Reading::TooFew,
            Some(Ends { lo, .. }) if lo > 0.0 => Reading::Larger,
            Some(Ends { hi, .. }) if hi < 0.0 => Reading::Smaller,
            Some(_) => Reading::WithinNoise,
        };
        let larger = differences.iter().filter(|d| **d > 0.0).count();
        Some(Self { pairs, larger, mean, interval, reading })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_by_hand() {
        // 1, 2, 3, 6: mean 3, squares 4 + 1 + 0 + 9 = 14, error sqrt(14/3/4), t(3) = 2.353363.
        let found = SeedDifference::of(&[1.0, 2.0, 3.0, 6.0], Level::default()).unwrap();
        let half = 2.353_363_434_801_8 * (14.0_f64 / 12.0).sqrt();
        let Ends { lo, hi } = found.interval.unwrap();
        assert!((lo - (3.0 - half)).abs() < 1e-9 && (hi - (3.0 + half)).abs() < 1e-9, "{found:?}");
        assert_eq!((found.pairs, found.larger, found.mean), (4, 4, 3.0));
        assert_eq!(found.reading, Reading::Larger);
        let turned = SeedDifference::of(&[-1.0, -2.0, -3.0, -6.0], Level::default()).unwrap();
        assert_eq!((turned.larger, turned.reading), (0, Reading::Smaller));
    }

    #[test]
    fn what_holds_zero_is_noise_and_two_pairs_are_too_few() {
        let of = |differences: &[f64]| SeedDifference::of(differences, Level::default());
        assert_eq!(of(&[1.0, -1.0, 0.5]).unwrap().reading, Reading::WithinNoise);
        // The very same numbers every time: no difference, and no noise either.
        assert_eq!(of(&[0.0, 0.0, 0.0]).unwrap().reading, Reading::WithinNoise);
        let two = of(&[5.0, 5.1]).unwrap();
        assert_eq!((two.interval, two.reading), (None, Reading::TooFew));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn intervals_cover_the_mean_of_normal_differences_as_often_as_they_say() {
        let mut rng = corefed_core::Seed(51).rng();
        let mut covered = 0;
        for _ in 0..20_000 {
            let drawn: Vec<f64> = (0..5).map(|_| 0.7 + corefed_core::normal(&mut rng)).collect();
            let Ends { lo, hi } =
                SeedDifference::of(&drawn, Level::default()).unwrap().interval.unwrap();
            covered += usize::from(lo <= 0.7 && 0.7 <= hi);
        }
        // 18,000 are expected, with a deviation of 42.
        assert!((17_830..=18_170).contains(&covered), "{covered}");
    }
}
