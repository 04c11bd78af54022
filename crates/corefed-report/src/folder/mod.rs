//! From a folder to its page: one reader per kind of folder. Verdicts are those that a run has written down; of
//! a training that is still running, that of its last record.

mod audited;
mod compared;
mod data_view;
mod exact;
mod network;
mod searched;
mod single;
mod sources;
mod stayed;
mod swept;
mod trained;

use std::fs;
use std::path::{Path, PathBuf};

use corefed_core::read_json;
use corefed_documents::{AuditDocument, Document, ModelCoalitions, STAY, Stay, kind_of};
use corefed_log::{
    DIGESTS, LogError, PAGE, RunFolder, RunKind, UNFINISHED, altered_documents, check_links,
    run_kind, write_entry, write_file,
};

use crate::{Page, ReportError, render};

/// Files by which a folder says what it is.
const OWN: [&str; 7] = [
    "run.json",
    "compare.json",
    "sweep.json",
    "ceiling.json",
    "core.predictor.json",
    STAY,
    DIGESTS,
];

/// Name of the page in a folder.
pub const REPORT: &str = PAGE;

/// The page of a folder, or of a file that `--json` printed.
pub fn page(path: &Path) -> Result<Page, ReportError> {
    let page = of_kind(path)?;
    Ok(Page { edits: edits(path)?, ..page })
}

fn of_kind(path: &Path) -> Result<Page, ReportError> {
    let has = |name: &str| path.join(name).is_file();
    stays_inside(path)?;
    if has("compare.json") {
        return compared::page(path);
    }
    if has("sweep.json") {
        return swept::page(path);
    }
    if has("ceiling.json") {
        return searched::page(path);
    }
    match run_kind(path)? {
        Some(RunKind::Training) => trained::page(path),
        Some(RunKind::Exact) => exact::page(path),
        // Exact runs of version 0.1.0 have no header.
        None if has("core.predictor.json") => exact::page(path),
        None if has(STAY) => stayed::page(&path.join(STAY)),
        None if path.is_file() && is_stay(path) => stayed::page(path),
        None if path.is_file() => single::page(path),
        None if path.exists() => Err(ReportError::Nothing { path: path.to_owned() }),
        None => Err(ReportError::Missing { path: path.to_owned() }),
    }
}

/// Refuses a folder with a link that leads out; only one that says what it is, is searched.
fn stays_inside(path: &Path) -> Result<(), ReportError> {
    if OWN.iter().any(|name| fs::symlink_metadata(path.join(name)).is_ok()) {
        check_links(path)?;
    }
    Ok(())
}

/// What was edited in a folder since it was written, trainings of a comparison or a sweep included.
pub fn edits(path: &Path) -> Result<Vec<String>, ReportError> {
    stays_inside(path)?;
    if !path.is_dir() {
        return Ok(Vec::new());
    }
    let mut edits = edits_of(path)?;
    // Also one that is not finished, and has no table yet.
    if ["compare.json", "sweep.json", UNFINISHED].iter().any(|name| path.join(name).is_file()) {
        let inside = fs::read_dir(path)
            .map_err(|source| LogError::Read { path: path.to_owned(), source })?;
        let mut folders: Vec<PathBuf> = inside.flatten().map(|entry| entry.path()).collect();
        folders.sort();
        for folder in folders {
            edits.extend(edits_of(&folder)?);
        }
    }
    Ok(edits)
}

/// What was edited in one folder; its records, too, if it is that of a training.
fn edits_of(folder: &Path) -> Result<Vec<String>, ReportError> {
    let altered = if run_kind(folder)? == Some(RunKind::Training) {
        RunFolder::peek(folder)?.altered()?
    } else if folder.is_dir() {
        altered_documents(folder)?
    } else {
        Vec::new()
    };
    Ok(altered.iter().map(ToString::to_string).collect())
}

/// Whether a file says that it is an answer on staying; one that cannot be read is blamed by its reader.
fn is_stay(path: &Path) -> bool {
    read_json(path).is_ok_and(|text| kind_of(&text).is_some_and(|kind| kind == Stay::KIND))
}

/// The page of an audit that was just made.
#[must_use]
pub fn page_of(audit: &AuditDocument, coalitions: Option<&ModelCoalitions>) -> Page {
    single::answered(audit, coalitions)
}

/// Writes the page of a folder, whole or not at all, and says where it is.
pub fn write(path: &Path, out: Option<&Path>) -> Result<PathBuf, ReportError> {
    let page = render(&page(path)?);
    if let Some(out) = out {
        write_file(out, page)?;
        return Ok(out.to_owned());
    }
    // Nobody named this file, so that a link in its place is replaced: somebody else may have made the folder.
    let own = if path.is_dir() { path.join(REPORT) } else { path.with_extension("html") };
    write_entry(&own, page)?;
    Ok(own)
}
