//! Why a model may be useless although every word of its audit is right.

use std::ops::Range;

use corefed_core::Quality;
use corefed_documents::TargetLine;

use crate::Case;
use crate::measure::ridge;

/// Agents named before the rest is counted.
const NAMED: usize = 6;

impl Case {
    /// What the target was standardised by, and every agent's error in the unit of the target; nothing
    /// where the target was taken as it is.
    pub(crate) fn target_line(&self, parameters: &[f64], losses: &[f64]) -> Option<TargetLine> {
        let scale = self.encoding.target_scale?;
        let error = |loss: &f64| (loss - ridge(self.l2, parameters)).max(0.0).sqrt() * scale.scale;
        Some(TargetLine {
            column: self.encoding.target_column.clone(),
            mean: scale.mean,
            deviation: scale.scale,
            errors: losses.iter().map(error).collect(),
        })
    }

    /// What somebody should know before using the model (ledger E72).
    pub(crate) fn warnings(
        &self,
        parameters: &[f64],
        losses: &[f64],
        on_sphere: bool,
    ) -> Vec<String> {
        let mut warnings = Vec::new();
        if on_sphere {
            warnings.push(format!(
                "the ball holds the model back: its parameters lie on the sphere of radius {}, and a larger \
                 `radius` would fit better",
                self.radius
            ));
        }
        if self.family.quality() != Quality::R2 {
            return warnings;
        }
        let errors: Vec<f64> =
            losses.iter().map(|loss| loss - ridge(self.l2, parameters)).collect();
        let rows: f64 = self.samples().iter().map(|rows| *rows as f64).sum();
        let mean = |of: &[f64]| {
            let sums = self.samples().iter().zip(of).map(|(rows, value)| *rows as f64 * value);
            sums.sum::<f64>() / rows
        };
        let (error, spread) = (mean(&errors), self.variance(0..self.federation.target().len()));
        if error > spread * (1.0 + 1e-9) {
            warnings.push(format!(
                "the model is worse than the mean: predicting the mean of `{}` for every row has {:.1} % of \
                 its squared error",
                self.encoding.target_column,
                100.0 * spread / error
            ));
        }
        let own = |k: &usize| {
            let rows = self.federation.agents()[*k].rows.clone();
            errors[*k] > self.variance(rows) * (1.0 + 1e-9)
        };
        let worse: Vec<usize> = (0..errors.len()).filter(own).collect();
        if !worse.is_empty() {
            let named: Vec<String> =
                worse.iter().take(NAMED).map(|k| format!("`{}`", self.names[*k])).collect();
            let rest = match worse.len().saturating_sub(NAMED) {
                0 => String::new(),
                rest => format!(" and {rest} more"),
            };
            let count = format!("{} of {}", worse.len(), errors.len());
            warnings.push(format!(
                "for {count} agents the loss exceeds the variance of their own targets, so that their own \
                 mean would serve them better: {}{rest}",
                named.join(", ")
            ));
        }
        warnings
    }

    /// Mean square about the mean of some rows' targets, each row by its weight.
    fn variance(&self, rows: Range<usize>) -> f64 {
        let (values, weights) =
            (&self.federation.target()[rows.clone()], self.federation.row_weights(rows));
        let weight = |k: usize| weights.get(k).copied().unwrap_or(1.0);
        let total: f64 = (0..values.len()).map(weight).sum();
        let mean = values.iter().enumerate().map(|(k, y)| weight(k) * y).sum::<f64>() / total;
        let square = |(k, y): (usize, &f64)| weight(k) * (y - mean) * (y - mean);
        values.iter().enumerate().map(square).sum::<f64>() / total
    }
}
