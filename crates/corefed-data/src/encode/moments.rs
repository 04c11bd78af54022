//! Mean and standard deviation of a column that nobody sees as a whole (ledger E20).
//!
//! Both are assembled from one line per agent, as a federation would: first its count, sum and
//! range, which give the common mean; then its sum of squares about that mean. No row leaves
//! its agent. Centring before squaring keeps all digits when the mean is far from zero.

use std::ops::Range;

use serde::{Deserialize, Serialize};

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
    /// Computes them for `values` grouped by agent. `NaN` stands for a missing value, which is
    /// filled with the mean of the others: it counts as a row but not as a deviation.
    pub(super) fn of<'a>(
        values: &[f64],
        agents: impl Iterator<Item = &'a Range<usize>> + Clone,
    ) -> Self {
        let reports = agents.clone().map(|rows| {
            let mut report = Report::default();
            values[rows.clone()].iter().for_each(|&value| report.add(value));
            report
        });
        let Some(common) = Common::of(reports) else { return Self::OutOfRange };
        let squares = agents.map(|rows| {
            let mut sum = NOTHING;
            values[rows.clone()].iter().for_each(|&value| common.add_square(&mut sum, value));
            sum
        });
        common.moments(squares)
    }
}

/// A sum of no terms; `-0` is the number that adds nothing to any other, `-0` included.
pub(super) const NOTHING: f64 = -0.0;

/// What an agent tells about its values in the first exchange.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    rows: f64,
    present: f64,
    sum: f64,
    least: f64,
    most: f64,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            rows: 0.0,
            present: 0.0,
            sum: NOTHING,
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
        }
    }
}

impl Report {
    /// Counts a value, `NaN` if it is missing.
    pub(super) fn add(&mut self, value: f64) {
        self.rows += 1.0;
        if value.is_nan() {
            return;
        }
        self.present += 1.0;
        self.sum += value;
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }

    fn merge(self, other: Self) -> Self {
        Self {
            rows: self.rows + other.rows,
            present: self.present + other.present,
            sum: self.sum + other.sum,
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }
}

/// What all agents know after the first exchange.
#[derive(Clone, Copy, Debug)]
pub(super) struct Common {
    all: Report,
    mean: f64,
}

impl Common {
    /// Merges the agents' reports in their order.
    pub(super) fn of(reports: impl Iterator<Item = Report>) -> Option<Self> {
        let all = reports.reduce(Report::merge)?;
        Some(Self { all, mean: all.sum / all.present })
    }

    /// Adds the squared deviation of a value to an agent's sum.
    pub(super) fn add_square(&self, sum: &mut f64, value: f64) {
        if !value.is_nan() {
            *sum += (value - self.mean) * (value - self.mean);
        }
    }

    /// The moments from the agents' sums of squares, in their order.
    pub(super) fn moments(&self, squares: impl Iterator<Item = f64>) -> Moments {
        if self.all.least >= self.all.most {
            // Zeros of both signs are one value.
            return Moments::Constant(self.all.least + 0.0);
        }
        let deviation = (squares.sum::<f64>() / self.all.rows).sqrt();
        if self.mean.is_finite() && deviation.is_normal() {
            Moments::Spread { mean: self.mean, deviation }
        } else {
            Moments::OutOfRange
        }
    }
}

/// Counts of rows are added, and multiplied with counts of columns.
pub(super) const MOST_ROWS: usize = 1 << 40;
/// Squares of the largest cells, of all rows there may be.
const MOST_SQUARES: f64 = 1e120;

/// Numbers of one column, of one agent or of all.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ColumnMoments {
    /// Rows, those with a hole included.
    pub rows: usize,
    /// Rows with a number.
    pub present: usize,
    /// Mean of these; zero without any.
    pub mean: f64,
    /// Sum of their squares about the mean.
    pub squares: f64,
    /// The smallest and the largest; crossed without any.
    pub least: f64,
    /// The largest.
    pub most: f64,
}

impl ColumnMoments {
    /// In one pass (Welford 1962): no digits are lost where the mean is far from zero. `NaN` is a hole.
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut all = Self::NONE;
        for value in values {
            all.rows += 1;
            if value.is_nan() {
                continue;
            }
            all.present += 1;
            let step = value - all.mean;
            all.mean += step / all.present as f64;
            all.squares += step * (value - all.mean);
            all.least = all.least.min(value);
            all.most = all.most.max(value);
        }
        all
    }

    pub(super) const NONE: Self =
        Self { rows: 0, present: 0, mean: 0.0, squares: 0.0, least: f64::MAX, most: f64::MIN };

    /// Those of both together (Chan, Golub and LeVeque 1979).
    pub(super) fn with(self, other: &Self) -> Self {
        let present = self.present + other.present;
        if other.present == 0 {
            return Self { rows: self.rows + other.rows, ..self };
        }
        let (step, share) = (other.mean - self.mean, other.present as f64 / present as f64);
        Self {
            rows: self.rows + other.rows,
            present,
            mean: self.mean + step * share,
            squares: self.squares + other.squares + step * step * share * self.present as f64,
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    /// Whether any rows could have them: what another agent tells may be anything.
    pub(super) fn is_possible(&self) -> bool {
        let numbers = [self.mean, self.squares, self.least, self.most];
        let told = self.squares >= 0.0
            && self.least <= self.most
            && numbers.iter().all(|number| number.abs() <= MOST_SQUARES);
        self.present <= self.rows && self.rows <= MOST_ROWS && (told || self.present == 0)
    }

    pub(super) fn holes(&self) -> usize {
        self.rows - self.present
    }
}

impl From<&ColumnMoments> for Moments {
    fn from(told: &ColumnMoments) -> Self {
        if told.least >= told.most {
            return Self::Constant(told.least + 0.0);
        }
        let deviation = (told.squares / told.rows as f64).sqrt();
        if told.mean.is_finite() && deviation.is_normal() {
            Self::Spread { mean: told.mean, deviation }
        } else {
            Self::OutOfRange
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
    fn a_missing_value_is_a_row_at_the_mean() {
        // 1 and 5 have mean 3; squares 4 + 4 + 0, over 3 rows.
        let expected = Moments::Spread { mean: 3.0, deviation: (8.0 / 3.0_f64).sqrt() };
        assert_eq!(moments(&[f64::NAN, 1.0, 5.0]), expected);
        assert_eq!(moments(&[2.0, f64::NAN]), Moments::Constant(2.0));
    }

    #[test]
    fn overflow_and_underflow_are_seen() {
        for values in [[1e308, 1.5e308], [-1e308, 1e308], [1e200, 2e200], [1e-200, 2e-200]] {
            assert_eq!(moments(&values), Moments::OutOfRange, "{values:?}");
        }
    }

    #[test]
    fn moments_told_by_agents_are_those_of_all_rows() {
        // 1, 2 | hole, 7 | nothing: mean 10/3, squares 49/9 + 16/9 + 121/9, over 4 rows.
        let told = |values: &[f64]| ColumnMoments::of(values.iter().copied());
        let parts = [told(&[1.0, 2.0]), told(&[f64::NAN, 7.0]), told(&[])];
        let all = parts.iter().fold(ColumnMoments::NONE, ColumnMoments::with);
        assert_eq!((all.rows, all.present, all.least, all.most), (4, 3, 1.0, 7.0));
        let Moments::Spread { mean, deviation } = Moments::from(&all) else { panic!("{all:?}") };
        let expected = (186.0_f64 / 9.0 / 4.0).sqrt();
        assert!((mean - 10.0 / 3.0).abs() < 1e-15 && (deviation - expected).abs() < 1e-15);
        assert_eq!(Moments::from(&told(&[0.1; 7])), Moments::Constant(0.1));
    }
}
