//! Sums of means over different agents' rows, such as what one agent brings to all.

use corefed_core::student_t_quantile;

use crate::{Level, PairedMean, hall};

/// A weighted sum of independent means, and how well it is known (ledger E65).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SumOfMeans {
    /// The sum.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
    /// Degrees of freedom of the error, by Welch and Satterthwaite.
    freedom: f64,
    /// Skewness of the sum.
    gamma: f64,
}

impl SumOfMeans {
    /// Of means that rest on different rows, each with its weight.
    #[must_use]
    pub fn of(parts: &[(f64, PairedMean)]) -> Self {
        let (mut value, mut squares, mut cubes, mut fourths) = (0.0, 0.0, 0.0, 0.0);
        for (weight, part) in parts {
            let error = weight * part.error;
            value += weight * part.mean;
            squares += error.powi(2);
            cubes += error.powi(3) * part.gamma();
            fourths += error.powi(4) / (part.units as f64 - 1.0);
        }
        let error = squares.sqrt();
        // Rows that all agree leave nothing to be unsure of.
        let (freedom, gamma) = if error > 0.0 {
            (squares * squares / fourths, cubes / error.powi(3))
        } else {
            (1.0, 0.0)
        };
        Self { value, error, freedom, gamma }
    }

    /// Both ends: each side misses with half of what the level leaves.
    #[must_use]
    pub fn interval(&self, level: Level) -> (f64, f64) {
        let quantile = student_t_quantile(1.0 - 0.5 * level.miss(), self.freedom);
        let end = |x: f64| self.value - self.error * hall::untransformed(self.gamma, x);
        (end(quantile), end(-quantile))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(values: &[f64]) -> PairedMean {
        PairedMean::of_units(values.iter().map(|value| (*value, 1.0))).unwrap()
    }

    #[test]
    fn one_mean_has_its_own_interval() {
        let mean = rows(&[1.0, 2.0, 4.0, 9.0]);
        let sum = SumOfMeans::of(&[(1.0, mean)]);
        let (a, b) = (sum.interval(Level::default()), mean.interval(Level::default()));
        assert!((a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-12, "{a:?} {b:?}");
        // Turned around by a negative weight.
        let turned = SumOfMeans::of(&[(-1.0, mean)]).interval(Level::default());
        assert!((turned.0 + b.1).abs() < 1e-12 && (turned.1 + b.0).abs() < 1e-12);
    }

    #[test]
    fn two_symmetric_means_by_hand() {
        // Five rows with error sqrt(0.5), and three with error sqrt(1/3), the second counted twice: the squares
        // are 1/2 and 4/3. Freedom (11/6)^2 / (1/4/4 + 16/9/2) = 3.5328...
        let parts = [(1.0, rows(&[1.0, 2.0, 3.0, 4.0, 5.0])), (2.0, rows(&[0.0, 1.0, 2.0]))];
        let found = SumOfMeans::of(&parts);
        assert!((found.value - 5.0).abs() < 1e-12);
        assert!((found.error.powi(2) - 11.0 / 6.0).abs() < 1e-12);
        let freedom = (11.0_f64 / 6.0).powi(2) / (1.0 / 16.0 + 8.0 / 9.0);
        assert!((found.freedom - freedom).abs() < 1e-12, "{found:?}");
        let half = student_t_quantile(0.95, freedom) * found.error;
        let (lo, hi) = found.interval(Level::default());
        assert!((lo - 5.0 + half).abs() < 1e-9 && (hi - 5.0 - half).abs() < 1e-9);
    }

    #[test]
    fn skewness_adds_by_cubes_of_errors() {
        let mean = rows(&[0.0, 0.0, 0.0, 4.0]);
        let found = SumOfMeans::of(&[(3.0, mean), (3.0, mean)]);
        // Two equal parts: gamma 2 e^3 g / (2 e^2)^(3/2) = g / sqrt 2.
        assert!((found.gamma - mean.gamma() / 2.0_f64.sqrt()).abs() < 1e-12);
        let point = SumOfMeans::of(&[(2.0, rows(&[1.0; 4])), (1.0, rows(&[3.0; 9]))]);
        assert_eq!(point.interval(Level::default()), (5.0, 5.0));
    }
}
