//! A fitted predictor on raw rows.

use std::path::Path;

use corefed_core::{Encoding, Family, FamilyVisitor, MarginLoss, Predictor};
use corefed_data::{Design, apply_exposure, apply_features, read_table};

use crate::csv_text::csv_text;
use crate::{GivenError, GivenPredictor, RunError};

/// One prediction per row of a table, in its order, as CSV.
pub fn predict(model: &Path, table: &Path) -> Result<String, RunError> {
    let Some(predictor) = GivenPredictor::read(model)?.predictor else {
        return Err(GivenError::NoEncoding { path: model.to_owned() }.into());
    };
    let table = read_table(table)?;
    let design = apply_features(&table, &predictor.encoding, predictor.family)?;
    let exposure = apply_exposure(&table, &predictor.encoding)?;
    predictions(&predictor, &design, &exposure)
}

fn predictions(
    predictor: &Predictor,
    design: &Design,
    exposure: &[f64],
) -> Result<String, RunError> {
    let Predictor { family, encoding, parameters, .. } = predictor;
    csv_text(|writer| {
        writer.write_record(header(*family, encoding))?;
        for row in 0..design.rows() {
            let offset = exposure.get(row).map_or(0.0, |exposure| exposure.ln());
            let blocks = parameters.chunks(design.dim());
            let margins: Vec<f64> =
                blocks.map(|block| margin(design, row, block) + offset).collect();
            writer.write_record(record(*family, encoding, &margins))?;
        }
        Ok(())
    })
}

fn header(family: Family, encoding: &Encoding) -> Vec<String> {
    let mut header = vec![encoding.target_column.clone()];
    if family.targets().is_class() {
        header.extend(encoding.classes.iter().map(|class| format!("p({class})")));
    }
    header
}

/// `x·theta` for one row and one block of parameters.
fn margin(design: &Design, row: usize, block: &[f64]) -> f64 {
    let dense = design.dense_rows(row..row + 1).iter().zip(block).map(|(x, t)| x * t).sum::<f64>();
    dense + design.hot_rows(row..row + 1).iter().map(|&h| block[h as usize]).sum::<f64>()
}

/// The mean of a number, given its margin.
struct Mean {
    margin: f64,
}

impl FamilyVisitor for Mean {
    type Output = f64;

    fn one_margin<L: MarginLoss>(self) -> f64 {
        L::mean(self.margin)
    }

    /// Classes have no mean.
    fn margin_per_class(self) -> f64 {
        f64::NAN
    }
}

/// The prediction and, for classes, every probability.
fn record(family: Family, encoding: &Encoding, margins: &[f64]) -> Vec<String> {
    if !family.targets().is_class() {
        let mean = family.visit(Mean { margin: margins[0] });
        return vec![encoding.target_scale.map_or(mean, |scale| scale.restore(mean)).to_string()];
    }
    let scores = match margins {
        // The first class is the one the margin speaks against.
        [margin] => vec![0.0, *margin],
        margins => margins.to_vec(),
    };
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let total: f64 = weights.iter().sum();
    let best = scores.iter().position(|score| *score == most).unwrap_or_default();
    let mut record = vec![encoding.classes[best].clone()];
    record.extend(weights.iter().map(|weight| (weight / total).to_string()));
    record
}
