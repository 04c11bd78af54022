//! The mean difference of two models on held-out rows, with a standard error that knows which rows belong
//! together.

use corefed_core::{student_t_cdf, student_t_quantile};
use serde::{Deserialize, Serialize};

use crate::{Level, hall};

/// A mean of paired differences and how well it is known.
///
/// Losses of classifiers have no bound on their rows, so nothing is certain about their mean at any number
/// of rows. These intervals are Student's with Hall's correction for skewness (ledger E57): they cover at
/// their level as units grow, and `docs/stay.md` has what simulations say about few.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairedMean {
    /// Held-out rows.
    pub rows: usize,
    /// Independent units: rows, or groups of rows that belong together.
    pub units: usize,
    /// The mean over rows.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
    /// Skewness of the units.
    pub skewness: f64,
}

impl PairedMean {
    /// From the sum of differences and the number of rows of every unit; `None` with fewer than two units,
    /// which show no spread.
    ///
    /// With rows of their own this is the mean and its usual standard error; with groups it is the ratio
    /// estimator, whose residuals are `sum - size * mean` (ledger E57).
    pub fn of_units(units: impl Iterator<Item = (f64, f64)> + Clone) -> Option<Self> {
        let (mut count, mut total, mut rows) = (0.0, 0.0, 0.0);
        for (sum, size) in units.clone() {
            count += 1.0;
            total += sum;
            rows += size;
        }
        if count < 2.0 {
            return None;
        }
        let mean = total / rows;
        let (mut squares, mut cubes) = (0.0, 0.0);
        for (sum, size) in units {
            let rest = sum - size * mean;
            squares += rest * rest;
            cubes += rest * rest * rest;
        }
        let error = (count / (count - 1.0) * squares).sqrt() / rows;
        let spread = (squares / count).sqrt();
        let skewness = if spread > 0.0 { cubes / count / spread.powi(3) } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
        let (rows, units) = (rows as usize, count as usize);
        Some(Self { rows, units, mean, error, skewness })
    }

    /// Both ends: each side misses with half of what the level leaves.
    #[must_use]
    pub fn interval(&self, level: Level) -> (f64, f64) {
        let half = 0.5 * level.miss();
        (self.lower(half), self.upper(half))
    }

    /// The mean is above this, wrongly with probability `miss`.
    #[must_use]
    pub fn lower(&self, miss: f64) -> f64 {
        self.mean - self.error * self.untransformed(self.quantile(miss))
    }

    /// The mean is below this, wrongly with probability `miss`.
    #[must_use]
    pub fn upper(&self, miss: f64) -> f64 {
        self.mean - self.error * self.untransformed(-self.quantile(miss))
    }

    /// How often differences like these would be seen if the mean were not above zero.
    #[must_use]
    pub fn p_above_zero(&self) -> f64 {
        self.tail(-self.transformed())
    }

    /// How often differences like these would be seen if the mean were not below zero.
    #[must_use]
    pub fn p_below_zero(&self) -> f64 {
        self.tail(self.transformed())
    }

    fn quantile(&self, miss: f64) -> f64 {
        student_t_quantile(1.0 - miss, self.units as f64 - 1.0)
    }

    /// Differences that are all zero say nothing in either direction.
    fn tail(&self, at: f64) -> f64 {
        if at.is_nan() { 1.0 } else { student_t_cdf(at, self.units as f64 - 1.0) }
    }

    /// Skewness of the mean.
    pub(crate) fn gamma(&self) -> f64 {
        self.skewness / (self.units as f64).sqrt()
    }

    /// `mean / error`, without its skewness.
    fn transformed(&self) -> f64 {
        hall::transformed(self.gamma(), self.mean / self.error)
    }

    fn untransformed(&self, x: f64) -> f64 {
        hall::untransformed(self.gamma(), x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(values: &[f64]) -> PairedMean {
        PairedMean::of_units(values.iter().map(|value| (*value, 1.0))).unwrap()
    }

    #[test]
    fn symmetric_rows_have_students_interval() {
        // 1, 2, 3, 4, 5: mean 3, error sqrt(2.5 / 5), t_{0.95, 4} = 2.1318.
        let found = rows(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!((found.mean - 3.0).abs() < 1e-15 && (found.error - 0.5_f64.sqrt()).abs() < 1e-15);
        assert_eq!(found.skewness, 0.0);
        let (lo, hi) = found.interval(Level::default());
        let half = 2.131_846_786_326_65 * 0.5_f64.sqrt();
        assert!((lo - 3.0 + half).abs() < 1e-9 && (hi - 3.0 - half).abs() < 1e-9);
    }

    #[test]
    fn rows_of_one_group_count_once() {
        // The same rows, each twice in a group of its own: nothing more is known.
        let single = rows(&[1.0, 2.0, 4.0, 9.0]);
        let doubled = [1.0, 2.0, 4.0, 9.0].map(|value| (2.0 * value, 2.0));
        let doubled = PairedMean::of_units(doubled.into_iter()).unwrap();
        assert!((single.mean - doubled.mean).abs() < 1e-15);
        assert!((single.error - doubled.error).abs() < 1e-15);
        assert_eq!((doubled.rows, doubled.units), (8, 4));
    }

    #[test]
    fn hall_by_hand() {
        // gamma = 0.6 / 3 = 0.2: g(1) = 1 + 0.2/3 + 0.04/27 + 0.2/6.
        let found = PairedMean { rows: 9, units: 9, mean: 2.0, error: 2.0, skewness: 0.6 };
        let expected = 1.0 + 0.2 / 3.0 + 0.04 / 27.0 + 0.2 / 6.0;
        assert!((found.transformed() - expected).abs() < 1e-15);
        assert!((found.untransformed(expected) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn equal_rows_decide_by_their_sign_alone() {
        let p = |value: f64| (rows(&[value; 5]).p_above_zero(), rows(&[value; 5]).p_below_zero());
        assert_eq!(p(0.0), (1.0, 1.0));
        assert_eq!(p(0.5), (0.0, 1.0));
        assert_eq!(p(-0.5), (1.0, 0.0));
        assert_eq!(rows(&[0.5; 5]).interval(Level::default()), (0.5, 0.5));
        assert_eq!(PairedMean::of_units([(1.0, 1.0)].into_iter()), None);
    }

    proptest! {
        #[test]
        fn bounds_and_tests_agree(
            values in prop::collection::vec(-1.0..2.0_f64, 3..40),
            miss in 0.001..0.4_f64,
        ) {
            let found = rows(&values);
            prop_assume!(found.error > 1e-9);
            let (lower, upper) = (found.lower(miss), found.upper(miss));
            prop_assert!(lower <= upper);
            if lower.abs() > 1e-9 {
                prop_assert_eq!(lower > 0.0, found.p_above_zero() < miss);
            }
            if upper.abs() > 1e-9 {
                prop_assert_eq!(upper < 0.0, found.p_below_zero() < miss);
            }
        }

        #[test]
        fn swapping_the_models_swaps_the_interval(values in prop::collection::vec(-1.0..2.0_f64, 3..40)) {
            let turned: Vec<f64> = values.iter().map(|value| -value).collect();
            let (a, b) = (rows(&values).interval(Level::default()), rows(&turned).interval(Level::default()));
            prop_assert!((a.0 + b.1).abs() < 1e-9 && (a.1 + b.0).abs() < 1e-9);
        }
    }
}
