//! The end of a training whose last model was not measured by everybody.

use corefed_documents::SUMMARY;
use corefed_log::RunFolder;
use corefed_report::{folder as pages, render, summary};

use super::changed;
use super::session::outcome_of;
use crate::{RunError, TrainingError};

/// Writes `summary.md` and `report.html` without a verdict; there must be none in the folder.
pub fn write_unjudged(folder: &RunFolder, rounds: usize) -> Result<(), RunError> {
    let last = match outcome_of(folder, None) {
        Ok(last) => Some(last),
        Err(RunError::Training(TrainingError::NoRound { .. })) => None,
        Err(error) => return Err(error),
    };
    let warnings: Vec<String> = changed::known_changes(folder)?.sentences();
    let told = summary::unjudged::Unjudged {
        header: folder.header(),
        rounds,
        measured: last.as_ref().map(|last| (&last.round, &*last.agents)),
        warnings: &warnings,
    };
    folder.write(SUMMARY, &summary::unjudged::markdown(&told))?;
    folder.write(pages::REPORT, &render(&pages::page(folder.path())?))?;
    Ok(())
}
