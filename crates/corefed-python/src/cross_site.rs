//! FLARE's cross-site evaluation, read for Python.

use std::path::PathBuf;

use corefed_data::{CrossSite, CrossSiteError};
use pyo3::prelude::*;

use crate::raise::Mistake;

/// The metric that is meant, sites, models, and numbers by model and site.
type Read = (String, Vec<String>, Vec<String>, Vec<Vec<f64>>);

/// Reads a file of results; `losses` says that its numbers are taken from ceilings.
#[pyfunction]
#[pyo3(signature = (file, metric, losses))]
pub(crate) fn cross_site(file: PathBuf, metric: Option<&str>, losses: bool) -> PyResult<Read> {
    let read = || -> Result<Read, CrossSiteError> {
        let read = CrossSite::read(&file)?;
        let metric = read.metric(metric, losses)?;
        let numbers = read.numbers(&metric, losses)?;
        Ok((metric, read.sites(), read.models(), numbers))
    };
    Ok(read().map_err(|error| Mistake {
        hint: error.hint(),
        ..Mistake::input("file", error.to_string())
    })?)
}
