//! A fitted predictor on raw rows.

mod conformal;
mod model;
mod rows;
mod unknown;

use std::path::Path;

use corefed_core::{Targets, Writing};

pub use self::conformal::Calibration;
pub use self::model::FittedModel;
use self::rows::Margins;
pub use self::unknown::Unknown;
use crate::{PredictError, RunError};

/// Predictions as CSV, and what had to be said about rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictedRows {
    /// One line per row of the table, in its order.
    pub csv: String,
    /// Columns with cells that the predictor does not know, in words.
    pub notes: Vec<String>,
}

/// One prediction per row of a table; for classes the probability of each, for quantities an interval where
/// rows to calibrate on are given. Where nothing is told of how files are written, they are taken to be written
/// as the one that the predictor was fitted to.
pub fn predict(
    model: &FittedModel,
    table: &Path,
    unknown: Unknown,
    calibration: Option<&Calibration<'_>>,
    written: Writing,
) -> Result<PredictedRows, RunError> {
    let predictor = &model.predictor;
    let half = match calibration {
        Some(_) if predictor.family.targets() != Targets::Number => {
            let family = predictor.family.to_string();
            return Err(PredictError::NoIntervals { family }.into());
        }
        Some(calibration) => Some(calibration.half_width(predictor, written)?),
        None => None,
    };
    let table = rows::read(table, predictor, written)?;
    let (margins, notes) = Margins::of(predictor, &table, unknown)?;
    Ok(PredictedRows { csv: rows::csv(predictor, &margins, half)?, notes })
}
