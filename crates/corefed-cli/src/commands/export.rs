//! `corefed export`: the records of a run as one table.

use std::io::Write;

use corefed_log::{RunFolder, export_file};

use crate::args::ExportArgs;
use crate::exit::Exit;
use crate::failure::Failure;

/// Writes rounds or agents as CSV or Parquet, by the ending of the file's name.
pub(crate) fn export(args: &ExportArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    export_file(&RunFolder::peek(&args.run)?, args.table, &args.out)?;
    writeln!(out, "written to {}", args.out.display())?;
    Ok(Exit::Stable)
}
