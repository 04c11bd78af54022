//! The deviance of counts whose mean is the exponential of the margin (ledger E46).
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use super::margin_loss::{MarginLoss, Observation};
use crate::exponential::exp;

/// Half the Poisson deviance, `mu - y + y log(y / mu)` with `mu = exp(margin)`; `mu` for `y = 0`.
///
/// Never negative, and zero where the mean is the count. The margin includes the log of the exposure.
#[derive(Clone, Copy, Debug)]
pub(super) struct PoissonDeviance;

/// Margins up to this are computed: `exp(300)` is 2e130, so that squares of sums over any number of rows
/// stay finite.
pub(super) const LARGEST_MARGIN: f64 = 300.0;

impl MarginLoss for PoissonDeviance {
    #[inline(always)]
    fn differentiate(margin: f64, target: f64) -> (f64, f64) {
        let excess = exp(margin) - target;
        // The limit of y log y at zero is zero.
        let log = if target > 0.0 { target.ln() } else { margin };
        let loss = excess + target * (log - margin);
        // Zero but for rounding where the mean is the count.
        (if loss < 0.0 { 0.0 } else { loss }, excess)
    }

    #[inline(always)]
    fn curvature(margin: f64) -> f64 {
        exp(margin)
    }

    fn mean(margin: f64) -> f64 {
        exp(margin)
    }

    /// The best constant is a rate, `sum y / sum exposure`. Its loss is the mean of `y log(y / (rate exposure))`,
    /// and on other rows of what their means and counts differ by as well.
    fn constant_loss(fitted: &[Observation], rows: &[Observation]) -> f64 {
        let count = Observation::mean(fitted, |row| row.target);
        let rate = count / Observation::mean(fitted, |row| row.exposure);
        let log_ratio = |row: &Observation| (row.target / (rate * row.exposure)).ln();
        let term = |row: &Observation| {
            if row.target > 0.0 { row.target * log_ratio(row) } else { 0.0 }
        };
        let excess = rate * Observation::mean(rows, |row| row.exposure)
            - Observation::mean(rows, |row| row.target);
        (Observation::mean(rows, term) + excess).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_worked_by_hand() {
        // mu = 2, y = 3: 2 - 3 + 3 ln(3/2), slope 2 - 3, curvature 2.
        let (loss, slope) = PoissonDeviance::differentiate(2_f64.ln(), 3.0);
        assert!((loss - (3.0 * 1.5_f64.ln() - 1.0)).abs() < 1e-15, "{loss}");
        assert!((slope + 1.0).abs() < 1e-15, "{slope}");
        assert!((PoissonDeviance::curvature(2_f64.ln()) - 2.0).abs() < 1e-15);
        // Nobody came: the loss is the mean itself.
        let (loss, slope) = PoissonDeviance::differentiate(2_f64.ln(), 0.0);
        assert!((loss - 2.0).abs() < 1e-15 && (slope - 2.0).abs() < 1e-15);
        // The mean is the count.
        assert!(PoissonDeviance::differentiate(7_f64.ln(), 7.0).0 < 1e-14);
    }

    #[test]
    fn the_best_rate_is_counts_over_exposures() {
        // 6 counts in 1 + 3: a rate of 1.5, means of 1.5 and 4.5 for counts of 2 and 4.
        let row = |target, exposure| Observation { target, weight: 1.0, exposure };
        let rows = [row(2.0, 1.0), row(4.0, 3.0)];
        let at = |rate: f64| {
            let loss = |row: &Observation| {
                PoissonDeviance::differentiate((rate * row.exposure).ln(), row.target).0
            };
            Observation::mean(&rows, loss)
        };
        let best = PoissonDeviance::constant_loss(&rows, &rows);
        assert!((best - at(1.5)).abs() < 1e-15, "{best}");
        assert!(best < at(1.49) && best < at(1.51));
        let nobody = [row(0.0, 1.0)];
        assert!(PoissonDeviance::constant_loss(&nobody, &nobody).abs() < 1e-300);
        // The rate of all, 1.5, on the second row alone: a mean of 4.5 for a count of 4.
        let second = PoissonDeviance::constant_loss(&rows, &rows[1..]);
        assert!((second - PoissonDeviance::differentiate(4.5_f64.ln(), 4.0).0).abs() < 1e-15);
    }

    #[test]
    fn the_largest_margins_stay_finite() {
        for target in [0.0, 1e50] {
            let (loss, slope) = PoissonDeviance::differentiate(LARGEST_MARGIN, target);
            assert!(loss.is_finite() && slope.is_finite());
            assert!((loss * loss * 1e9).is_finite());
            assert!(PoissonDeviance::differentiate(-LARGEST_MARGIN, target).0.is_finite());
        }
    }
}
