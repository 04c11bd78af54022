//! A fitted predictor on raw rows.

use std::path::Path;

use corefed_core::{Encoding, Family, Predictor};
use corefed_data::{Design, Table, apply_features};

use crate::csv_text::csv_text;
use crate::{GivenError, GivenPredictor, RunError};

/// One prediction per row of a table, in its order, as CSV.
pub fn predict(model: &Path, table: &Path) -> Result<String, RunError> {
    let Some(predictor) = GivenPredictor::read(model)?.predictor else {
        return Err(GivenError::NoEncoding { path: model.to_owned() }.into());
    };
    let table = Table::read(table)?;
    let design = apply_features(&table, &predictor.encoding, predictor.family)?;
    predictions(&predictor, &design)
}

fn predictions(predictor: &Predictor, design: &Design) -> Result<String, RunError> {
    let Predictor { family, encoding, parameters, .. } = predictor;
    csv_text(|writer| {
        writer.write_record(header(*family, encoding))?;
        for row in 0..design.rows() {
            let margins: Vec<f64> =
                parameters.chunks(design.dim()).map(|block| margin(design, row, block)).collect();
            writer.write_record(record(*family, encoding, &margins))?;
        }
        Ok(())
    })
}

fn header(family: Family, encoding: &Encoding) -> Vec<String> {
    let mut header = vec![encoding.target_column.clone()];
    if family != Family::Linear {
        header.extend(encoding.classes.iter().map(|class| format!("p({class})")));
    }
    header
}

/// `x·theta` for one row and one block of parameters.
fn margin(design: &Design, row: usize, block: &[f64]) -> f64 {
    let dense = design.dense_rows(row..row + 1).iter().zip(block).map(|(x, t)| x * t).sum::<f64>();
    dense + design.hot_rows(row..row + 1).iter().map(|&h| block[h as usize]).sum::<f64>()
}

/// The prediction and, for classes, every probability.
fn record(family: Family, encoding: &Encoding, margins: &[f64]) -> Vec<String> {
    let scores = match family {
        Family::Linear => return vec![margins[0].to_string()],
        // The first class is the one the margin speaks against.
        Family::Logistic => vec![0.0, margins[0]],
        Family::Softmax => margins.to_vec(),
    };
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let total: f64 = weights.iter().sum();
    let best = scores.iter().position(|score| *score == most).unwrap_or_default();
    let mut record = vec![encoding.classes[best].clone()];
    record.extend(weights.iter().map(|weight| (weight / total).to_string()));
    record
}
