//! The command inside Python's process, for the script that pip installs.

use std::ffi::OsString;

use pyo3::prelude::*;

/// The whole command; gives its exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| corefed_cli::main(arguments))
}
