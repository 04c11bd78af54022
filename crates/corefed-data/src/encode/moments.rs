//! Mean and standard deviation of a column that nobody sees as a whole (ledger E20).
//!
//! Both are assembled from one line per agent, as a federation would: first its count, sum and
//! range, which give the common mean; then its sum of squares about that mean. No row leaves
//! its agent. Centring before squaring keeps all digits when the mean is far from zero.

use std::ops::Range;

/// How a column is centred and scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Moments {
    /// It has one value in every row.
    Constant(f64),
    /// Mean, and population standard deviation > 0.
    Spread {
        /// Average over all rows of all agents.
        mean: f64,
        /// Root of the mean square about `mean`.
        deviation: f64,
    },
    /// Mean or deviation overflow or underflow.
    OutOfRange,
}

impl Moments {
    /// Computes them for `values` grouped by agent.
    pub(super) fn of<'a>(
        values: &[f64],
        agents: impl Iterator<Item = &'a Range<usize>> + Clone,
    ) -> Self {
        let reports = agents.clone().map(|rows| Report::of(&values[rows.clone()]));
        let Some(all) = reports.reduce(Report::merge) else { return Self::OutOfRange };
        if all.least >= all.most {
            return Self::Constant(all.least);
        }
        let mean = all.sum / all.count;
        let squares = |rows: &Range<usize>| -> f64 {
            values[rows.clone()].iter().map(|x| (x - mean) * (x - mean)).sum()
        };
        let deviation = (agents.map(squares).sum::<f64>() / all.count).sqrt();
        if mean.is_finite() && deviation.is_normal() {
            Self::Spread { mean, deviation }
        } else {
            Self::OutOfRange
        }
    }
}

/// What an agent tells about its values in the first exchange.
#[derive(Clone, Copy, Debug)]
struct Report {
    count: f64,
    sum: f64,
    least: f64,
    most: f64,
}

impl Report {
    fn of(values: &[f64]) -> Self {
        Self {
            count: values.len() as f64,
            sum: values.iter().sum(),
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            most: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    fn merge(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(values: &[f64]) -> Moments {
        Moments::of(values, [0..1, 1..values.len()].iter())
    }

    #[test]
    fn moments_of_one_to_four() {
        // Mean 10/4; squares about it 9/4 + 1/4 + 1/4 + 9/4 = 5, over 4.
        let expected = Moments::Spread { mean: 2.5, deviation: 1.25_f64.sqrt() };
        assert_eq!(moments(&[1.0, 2.0, 3.0, 4.0]), expected);
    }

    #[test]
    fn a_far_mean_costs_no_digits() {
        // The deviation of {0, 2} is 1, wherever it is.
        let expected = Moments::Spread { mean: 1e9 + 1.0, deviation: 1.0 };
        assert_eq!(moments(&[1e9, 1e9 + 2.0]), expected);
    }

    #[test]
    fn equal_values_are_constant_even_if_their_mean_rounds() {
        assert_eq!(moments(&[0.1; 7]), Moments::Constant(0.1));
        assert_eq!(moments(&[0.0, -0.0]), Moments::Constant(0.0));
    }

    #[test]
    fn overflow_and_underflow_are_seen() {
        for values in [[1e308, 1.5e308], [-1e308, 1e308], [1e200, 2e200], [1e-200, 2e-200]] {
            assert_eq!(moments(&values), Moments::OutOfRange, "{values:?}");
        }
    }
}
