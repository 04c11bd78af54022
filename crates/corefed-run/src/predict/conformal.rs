//! Prediction intervals from rows that the predictor was not fitted to: split conformal (ledger E77).

use std::path::Path;

use corefed_core::{Predictor, Writing};

use super::rows::{Margins, read};
use super::unknown::Unknown;
use crate::{PredictError, RunError};

/// Held-out rows with targets, and how often intervals shall hold.
#[derive(Clone, Copy, Debug)]
pub struct Calibration<'a> {
    /// The rows.
    pub rows: &'a Path,
    /// In (0, 1).
    pub level: f64,
}

impl Calibration<'_> {
    /// Half the width of intervals: the largest absolute error but for those above the level.
    pub(super) fn half_width(
        &self,
        predictor: &Predictor,
        written: Writing,
    ) -> Result<f64, RunError> {
        let table = read(self.rows, predictor, written)?;
        let column = table.column(&predictor.encoding.target_column)?;
        let (margins, _) = Margins::of(predictor, &table, Unknown::Error)?;
        let errors = margins.means(predictor).into_iter().enumerate();
        let errors = errors.map(|(row, mean)| {
            let cell = table.cell(row, column);
            let target = cell.parse::<f64>().ok().filter(|target| target.is_finite());
            let target = target.ok_or_else(|| PredictError::Target {
                place: table.place(row, column).to_string(),
                cell: cell.to_owned(),
            })?;
            Ok((target - mean.unwrap_or(f64::NAN)).abs())
        });
        let mut errors = errors.collect::<Result<Vec<f64>, PredictError>>()?;
        let (count, level) = (errors.len(), self.level);
        let rank = rank(count, level).ok_or(PredictError::FewRows { rows: count, level })?;
        errors.sort_by(f64::total_cmp);
        Ok(errors[rank - 1])
    }
}

/// `ceil((n + 1) level)`, if that many errors are there.
fn rank(count: usize, level: f64) -> Option<usize> {
    let wanted = (f64::from(u32::try_from(count).ok()?) + 1.0) * level;
    // A product that is whole but for rounding is whole.
    let wanted = (wanted - 1e-9).ceil().max(1.0);
    (1..=count).find(|rank| u32::try_from(*rank).is_ok_and(|rank| f64::from(rank) >= wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_the_definition() {
        // ceil(10 * 0.9) = 9 of nine errors; of eight, ceil(8.1) = 9 are too many.
        assert_eq!(rank(9, 0.9), Some(9));
        assert_eq!(rank(8, 0.9), None);
        // ceil(100 * 0.9) = 90.
        assert_eq!(rank(99, 0.9), Some(90));
        assert_eq!(rank(100, 0.9), Some(91));
        assert_eq!(rank(3, 0.5), Some(2));
    }

    #[test]
    fn every_row_is_covered_as_often_as_promised() {
        // Leave each of n + 1 different errors out in turn: the interval from the others covers it in at least
        // level * (n + 1) of the turns, whatever the errors are.
        let errors: Vec<f64> = (0..41).map(|k| f64::from((k * 17) % 41)).collect();
        for level in [0.5, 0.8, 0.9, 0.95] {
            let covered = (0..errors.len()).filter(|&out| {
                let mut others: Vec<f64> = errors.clone();
                let own = others.remove(out);
                others.sort_by(f64::total_cmp);
                rank(others.len(), level).is_some_and(|rank| own <= others[rank - 1])
            });
            let share = f64::from(u32::try_from(covered.count()).unwrap()) / 41.0;
            assert!(share >= level && share <= level + 1.0 / 41.0 + 1e-9, "{level}: {share}");
        }
    }
}
