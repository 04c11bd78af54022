//! `corefed predict`: a fitted predictor on raw rows.

use std::io::Write;

use corefed_core::{Encoding, Family, FamilyVisitor, MarginLoss, Predictor};
use corefed_data::{Design, Table, apply_exposure, apply_features};

use crate::args::PredictArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files;
use crate::predictor_file::PredictorFile;

/// Writes one prediction per row, in the order of the file.
pub(crate) fn predict(args: &PredictArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let Some(predictor) = PredictorFile::read(&args.model)?.predictor else {
        return Err(Failure::new(format!("`{}` has no encoding", args.model.display()))
            .hint("predict with the JSON of `corefed solve --json` or a run's predictor"));
    };
    let table = Table::read(&args.file)?;
    let design = apply_features(&table, &predictor.encoding, predictor.family)?;
    let exposure = apply_exposure(&table, &predictor.encoding)?;
    let text = predictions(&predictor, &design, &exposure)?;
    match &args.out {
        Some(path) => files::write(path, &text)?,
        None => out.write_all(text.as_bytes())?,
    }
    Ok(Exit::Stable)
}

fn predictions(
    predictor: &Predictor,
    design: &Design,
    exposure: &[f64],
) -> Result<String, Failure> {
    let Predictor { family, encoding, parameters, .. } = predictor;
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |error: csv::Error| Failure::new(format!("cannot write CSV: {error}"));
    writer.write_record(header(*family, encoding)).map_err(failed)?;
    for row in 0..design.rows() {
        let offset = exposure.get(row).map_or(0.0, |exposure| exposure.ln());
        let blocks = parameters.chunks(design.dim());
        let margins: Vec<f64> = blocks.map(|block| margin(design, row, block) + offset).collect();
        writer.write_record(record(*family, encoding, &margins)).map_err(failed)?;
    }
    let bytes = writer.into_inner().map_err(|error| Failure::new(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| Failure::new(error.to_string()))
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
        return vec![family.visit(Mean { margin: margins[0] }).to_string()];
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
