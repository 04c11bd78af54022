//! Every chart as a picture of its own.

use std::path::Path;

use corefed_report::{Page, figures};

use crate::failure::Failure;
use crate::files;

/// Writes each chart, and says how many there are.
pub(crate) fn write_figures(page: &Page, out: &Path) -> Result<usize, Failure> {
    std::fs::create_dir_all(out).map_err(|error| Failure::file("create", out, &error))?;
    let all = figures(page);
    for figure in &all {
        files::write(&out.join(format!("{}.svg", figure.name)), &figure.svg)?;
    }
    Ok(all.len())
}
