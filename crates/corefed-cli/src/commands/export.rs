//! `corefed export`: the records of a run as one table.

use std::io::{self, Write};
use std::path::Path;

#[cfg(feature = "parquet")]
use corefed_log::export_parquet;
use corefed_log::{LogError, Row, RunFolder, check_file, export_csv, write_file_with};

use crate::args::{ExportArgs, RecordTable};
use crate::exit::Exit;
use crate::failure::Failure;

/// Writes rounds or agents as CSV or Parquet, by the ending of the file's name.
pub(crate) fn export(args: &ExportArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let run = RunFolder::peek(&args.run)?;
    let path = args.out.as_path();
    match args.table {
        RecordTable::Rounds => save(path, run.rounds()?)?,
        RecordTable::Agents => save(path, run.agents()?)?,
    }
    writeln!(out, "written to {}", path.display())?;
    Ok(Exit::Stable)
}

/// Records in the format that the name of the file says.
fn save<R: Row>(
    path: &Path,
    records: impl Iterator<Item = Result<R, LogError>>,
) -> Result<(), Failure> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if !matches!(ending, "csv" | "parquet") {
        return Err(Failure::new(format!("`{}` has no known ending", path.display()))
            .hint("end its name in `.csv` or `.parquet`"));
    }
    #[cfg(not(feature = "parquet"))]
    if ending == "parquet" {
        return Err(crate::left_out::left_out("write Parquet", "parquet"));
    }
    check_file(path)?;
    let mut unread = None;
    let written = write_file_with(path, |writer| {
        let done = match ending {
            #[cfg(feature = "parquet")]
            "parquet" => export_parquet(records, writer),
            _ => export_csv(records, writer),
        };
        done.map_err(|error| {
            let message = error.to_string();
            unread = Some(error);
            io::Error::other(message)
        })
    });
    // Records that cannot be read are no fault of the file that is written.
    match unread {
        Some(error) => Err(error.into()),
        None => Ok(written?),
    }
}
