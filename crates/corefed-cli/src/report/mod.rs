//! From files to pages: one reader per kind of folder. Nothing is computed here that a command has
//! not written down.

mod audit_file;
mod compared;
mod data_view;
mod exact;
#[cfg(feature = "figures")]
mod figures;
mod network_file;
mod single;
mod sources;
mod swept;
mod trained;

use std::path::{Path, PathBuf};

use corefed_report::{Page, render};

#[cfg(feature = "figures")]
pub(crate) use figures::write_figures;

use crate::coalitions::ModelCoalitions;
use crate::failure::Failure;
use crate::files;

/// Name of the page in a folder.
pub(crate) const REPORT: &str = "report.html";

/// The page of a folder or of a file that `--json` printed.
pub(crate) fn page(path: &Path) -> Result<Page, Failure> {
    let has = |name: &str| path.join(name).is_file();
    if has("compare.json") {
        compared::page(path)
    } else if has("sweep.json") {
        swept::page(path)
    } else if has("run.json") {
        trained::page(path)
    } else if has("core.predictor.json") {
        exact::page(path)
    } else if path.is_file() {
        single::page(path)
    } else if path.exists() {
        Err(Failure::new(format!("`{}` holds nothing to report", path.display())).hint(
            "give the folder of `corefed run`, `compare` or `sweep`, or a file that `corefed solve \
             --json` or `corefed audit --json` printed",
        ))
    } else {
        Err(Failure::new(format!("`{}` does not exist", path.display())))
    }
}

/// Writes the page of an answer as `--json` would print it.
pub(crate) fn write_answer(
    json: &str,
    coalitions: Option<&ModelCoalitions>,
    out: &Path,
) -> Result<(), Failure> {
    files::write(out, &render(&single::answered(json, coalitions)?))
}

/// Writes the page of a folder, whole or not at all, and says where it is.
pub(crate) fn write(path: &Path, out: Option<&Path>) -> Result<PathBuf, Failure> {
    let out = match out {
        Some(out) => out.to_owned(),
        None if path.is_dir() => path.join(REPORT),
        None => path.with_extension("html"),
    };
    files::write(&out, &render(&page(path)?))?;
    Ok(out)
}
