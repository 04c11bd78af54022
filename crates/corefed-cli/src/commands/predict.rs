//! `corefed predict`: a fitted predictor on raw rows.

use std::io::Write;

use crate::args::PredictArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outputs::{Outputs, save};

/// Writes one prediction per row, in the order of the file.
pub(crate) fn predict(args: &PredictArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    Outputs::check(&[("--out", args.out.as_deref())], false)?;
    let text = corefed_run::predict(&args.model, &args.file)?;
    match &args.out {
        Some(path) => save(path, text, out)?,
        None => out.write_all(text.as_bytes())?,
    }
    Ok(Exit::Stable)
}
