//! `corefed export`: the records of a run as one table.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

#[cfg(feature = "parquet")]
use corefed_log::export_parquet;
use corefed_log::{LogError, Row, RunFolder, export_csv};

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

/// Beside its final name first, so that a table is there whole or not at all.
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
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let failed = |error: &std::io::Error| Failure::file("write", path, error);
    let file = File::create(&partial).map_err(|error| failed(&error))?;
    let mut writer = BufWriter::new(file);
    let written = match ending {
        #[cfg(feature = "parquet")]
        "parquet" => export_parquet(records, &mut writer),
        _ => export_csv(records, &mut writer),
    };
    let done = written
        .map_err(Failure::from)
        .and_then(|()| writer.flush().map_err(|error| failed(&error)))
        .and_then(|()| std::fs::rename(&partial, path).map_err(|error| failed(&error)));
    if done.is_err() {
        // The half-written file is ours; failing to remove it changes nothing.
        let _ = std::fs::remove_file(&partial);
    }
    done
}
