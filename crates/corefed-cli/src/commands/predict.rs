//! `corefed predict`: a fitted predictor on raw rows.

use std::io::{Write, stderr};
use std::path::Path;

use corefed_core::{Choice, one_line};
use corefed_run::{Calibration, FittedModel, PredictError, RunError};

use crate::args::PredictArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outputs::{Outputs, save};

/// Writes one prediction per row, in the order of the file.
pub(crate) fn predict(args: &PredictArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let _claimed = Outputs::check(&[("--out", args.out.as_deref())], false)?;
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
        .map_err(|error| told(error, &model))?;
    for note in &found.notes {
        // Talk that cannot be written is not worth failing for.
        let _ = writeln!(stderr(), "{}", one_line(note));
    }
    save(args.out.as_deref().unwrap_or(Path::new("-")), found.csv, out)?;
    Ok(Exit::Stable)
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "json")
}

/// An error with what the predictor knows about it.
fn told(error: RunError, model: &FittedModel) -> Failure {
    match model.hint_about(&error) {
        Some(hint) => Failure::from(error).hint(hint),
        None => error.into(),
    }
}
