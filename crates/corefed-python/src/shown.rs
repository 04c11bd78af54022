//! Names and messages as people may see them.

use std::path::PathBuf;

use corefed_run::edits;
use pyo3::prelude::*;

use crate::raise;

/// A text on one line, with nothing hidden in it.
#[pyfunction]
pub(crate) fn one_line(text: &str) -> String {
    corefed_core::one_line(text).into_owned()
}

/// A text of several lines, with nothing else hidden in it.
#[pyfunction]
pub(crate) fn shown_lines(text: &str) -> String {
    corefed_core::shown_lines(text).into_owned()
}

/// What was edited in the folder of a training since it was written, a sentence each.
#[pyfunction]
pub(crate) fn run_edits(path: PathBuf) -> PyResult<Vec<String>> {
    Ok(edits(&path).map_err(|error| raise::run(&error))?)
}
