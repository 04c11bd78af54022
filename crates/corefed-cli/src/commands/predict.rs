//! `corefed predict`: a fitted predictor on raw rows.

use std::io::{Write, stderr};
use std::path::Path;

use corefed_core::Choice;
use corefed_data::{DataError, TableError};
use corefed_run::{Calibration, FittedModel, PredictError, RunError};

use crate::args::PredictArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outputs::{Outputs, save};

/// Writes one prediction per row, in the order of the file.
pub(crate) fn predict(args: &PredictArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    Outputs::check(&[("--out", args.out.as_deref())], false)?;
    if is_json(&args.file) && !is_json(&args.model) && args.model.is_file() {
        let (first, second) = (args.model.clone(), args.file.clone());
        return Err(RunError::from(PredictError::Swapped { first, second }).into());
    }
    if !(args.level > 0.0 && args.level < 1.0) {
        return Err(RunError::from(PredictError::Level { level: args.level }).into());
    }
    let model = FittedModel::find(&args.model, args.rule.map(Choice::word))?;
    let calibration = args.calibrate.as_deref().map(|rows| Calibration { rows, level: args.level });
    let (calibration, written) = (calibration.as_ref(), args.written.told());
    let found = corefed_run::predict(&model, &args.file, args.unknown, calibration, written)
        .map_err(|error| go_on(error, &model))?;
    for note in &found.notes {
        // Talk that cannot be written is not worth failing for.
        let _ = writeln!(stderr(), "{note}");
    }
    match &args.out {
        Some(path) => save(path, found.csv, out)?,
        None => out.write_all(found.csv.as_bytes())?,
    }
    Ok(Exit::Stable)
}

/// A cell that the predictor does not know need not stop all rows, and a column that it needs is one of
/// several.
fn go_on(error: RunError, model: &FittedModel) -> Failure {
    let known = error.hint().map_or_else(String::new, |hint| {
        let end = if hint.ends_with('?') { "" } else { ";" };
        format!("{hint}{end} ")
    });
    let hint = match &error {
        RunError::Data(DataError::Cell(_)) => format!(
            "{known}`--unknown blank` leaves such rows without a prediction, `--unknown neutral` lets \
             such cells count for nothing"
        ),
        RunError::Data(DataError::Table(TableError::MissingColumn { .. })) => {
            format!("{known}the predictor needs the columns {}", model.columns().join(", "))
        }
        _ => return error.into(),
    };
    Failure::from(error).hint(hint)
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "json")
}
