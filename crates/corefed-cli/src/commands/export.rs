//! `corefed export`: the records of a run as one table.

use std::io::Write;

use corefed_log::{RunFolder, export_file};
use corefed_report::{folder::edits, shown_path};

use crate::args::ExportArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outputs::warn;

/// Writes rounds or agents as CSV or Parquet, by the ending of the file's name.
pub(crate) fn export(args: &ExportArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let run = RunFolder::peek(&args.run)?;
    warn(edits(&args.run)?);
    export_file(&run, args.table, &args.out)?;
    writeln!(out, "written to {}", shown_path(&args.out))?;
    Ok(Exit::Stable)
}
