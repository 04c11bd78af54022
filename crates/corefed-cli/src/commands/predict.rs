//! `corefed predict`: a fitted predictor on raw rows.

use std::io::Write;

use corefed_log::write_file;

use crate::args::PredictArgs;
use crate::exit::Exit;
use crate::failure::Failure;

/// Writes one prediction per row, in the order of the file.
pub(crate) fn predict(args: &PredictArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let text = corefed_run::predict(&args.model, &args.file)?;
    match &args.out {
        Some(path) => write_file(path, text)?,
        None => out.write_all(text.as_bytes())?,
    }
    Ok(Exit::Stable)
}
