//! Records as a file of their own, in the format that its name says.

use std::io;
use std::path::Path;

use corefed_core::Choice;

use super::export_csv;
#[cfg(feature = "parquet")]
use super::export_parquet;
use crate::FileClaim;
use crate::new_folder::write_file_with;
use crate::{LogError, Row, RunView};

/// Which records of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordTable {
    /// One row per round.
    Rounds,
    /// One row per agent and round.
    Agents,
}

impl Choice for RecordTable {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Rounds, "rounds", "One row per round"),
        (Self::Agents, "agents", "One row per agent and round"),
    ];
}

/// Writes records of a run as CSV or Parquet, by the ending of the file's name.
pub fn export_file(run: &RunView, table: RecordTable, path: &Path) -> Result<(), LogError> {
    match table {
        RecordTable::Rounds => save(path, run.rounds()?),
        RecordTable::Agents => save(path, run.agents()?),
    }
}

fn save<R: Row>(
    path: &Path,
    records: impl Iterator<Item = Result<R, LogError>>,
) -> Result<(), LogError> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending {
        "csv" => {}
        "parquet" if cfg!(feature = "parquet") => {}
        "parquet" => return Err(LogError::NoParquet),
        _ => return Err(LogError::Ending { path: path.to_owned() }),
    }
    let _claim = FileClaim::of(path)?;
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
    // Records that cannot be read are not the fault of the file that is written.
    unread.map_or(written, Err)
}
