//! From margins to lines of CSV.

use std::path::Path;

use corefed_core::{Encoding, Family, FamilyVisitor, MarginLoss, Predictor, Writing};
use corefed_data::{Design, Table, apply_exposure, apply_features, check_writing, read_table_as};

use super::unknown::{Repaired, Unknown};
use crate::RunError;
use crate::csv_text::csv_text;

/// Reads raw rows; what is not told of how they are written is as in the file of the predictor.
pub(super) fn read(
    rows: &Path,
    predictor: &Predictor,
    written: Writing,
) -> Result<Table, RunError> {
    check_writing(rows, written)?;
    Ok(read_table_as(rows, written.or(predictor.encoding.intake.written))?)
}

/// The margins of every row, one per block of parameters; `None` for a row without a prediction.
pub(super) struct Margins(Vec<Option<Vec<f64>>>);

impl Margins {
    /// Encodes a table and applies the predictor; also says which cells it did not know.
    pub(super) fn of(
        predictor: &Predictor,
        table: &Table,
        unknown: Unknown,
    ) -> Result<(Self, Vec<String>), RunError> {
        let Predictor { family, encoding, parameters, .. } = predictor;
        let repaired = match apply_features(table, encoding, *family) {
            Ok(design) => Repaired::whole(design),
            Err(error) if unknown == Unknown::Error => return Err(error.into()),
            Err(error) => Repaired::of(table, encoding, *family, error)?,
        };
        let exposure = apply_exposure(table, encoding)?;
        let design = &repaired.design;
        let row = |row: usize| {
            let bad = repaired.cells.get(&row);
            if bad.is_some() && unknown == Unknown::Blank {
                return None;
            }
            // A level that nobody knows switches none on.
            let off: Vec<usize> = bad.into_iter().flatten().filter_map(|cell| cell.level).collect();
            let offset = exposure.get(row).map_or(0.0, |exposure| exposure.ln());
            let blocks = parameters.chunks(design.dim());
            Some(blocks.map(|block| margin(design, row, block, &off) + offset).collect())
        };
        let margins = (0..design.rows()).map(row).collect();
        Ok((Self(margins), repaired.notes(table, unknown)))
    }

    /// Means of rows that have a prediction, in the unit of the target.
    pub(super) fn means(&self, predictor: &Predictor) -> Vec<Option<f64>> {
        let Predictor { family, encoding, .. } = predictor;
        let mean = |margins: &Vec<f64>| mean(*family, encoding, margins);
        self.0.iter().map(|margins| margins.as_ref().map(mean)).collect()
    }
}

/// One line per row, in order.
pub(super) fn csv(
    predictor: &Predictor,
    margins: &Margins,
    half: Option<f64>,
) -> Result<String, RunError> {
    let Predictor { family, encoding, .. } = predictor;
    csv_text(|writer| {
        let header = header(*family, encoding, half.is_some());
        writer.write_record(&header)?;
        for margins in &margins.0 {
            match margins {
                Some(margins) => writer.write_record(record(*family, encoding, margins, half))?,
                None => writer.write_record(vec![""; header.len()])?,
            }
        }
        Ok(())
    })
}

fn header(family: Family, encoding: &Encoding, intervals: bool) -> Vec<String> {
    let mut header = vec![encoding.target_column.clone()];
    if family.targets().is_class() {
        header.extend(encoding.classes.iter().map(|class| format!("p({class})")));
    }
    if intervals {
        header.extend(["lower", "upper"].map(str::to_owned));
    }
    header
}

/// `x·theta` for one row and one block of parameters, without the indicators that are off.
fn margin(design: &Design, row: usize, block: &[f64], off: &[usize]) -> f64 {
    let dense = design.dense_rows(row..row + 1).iter().zip(block).map(|(x, t)| x * t).sum::<f64>();
    let hot = design.hot_rows(row..row + 1).iter().map(|&hot| hot as usize);
    dense + hot.filter(|hot| !off.contains(hot)).map(|hot| block[hot]).sum::<f64>()
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

/// The mean that a predictor of numbers has for a row, in the unit of the target (ledger E70).
fn mean(family: Family, encoding: &Encoding, margins: &[f64]) -> f64 {
    let mean = family.visit(Mean { margin: margins[0] });
    encoding.target_scale.map_or(mean, |scale| scale.restore(mean))
}

/// The prediction and, for classes, every probability.
fn record(family: Family, encoding: &Encoding, margins: &[f64], half: Option<f64>) -> Vec<String> {
    if !family.targets().is_class() {
        let mean = mean(family, encoding, margins);
        let ends = half.map(|half| [mean - half, mean + half]);
        return std::iter::once(mean)
            .chain(ends.into_iter().flatten())
            .map(|v| v.to_string())
            .collect();
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
