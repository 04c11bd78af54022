//! Comparisons and sweeps of specs.

use std::path::PathBuf;

use corefed_documents::Document;
use corefed_log::next_free;
use corefed_run::{
    Asked, AskedFor, RunError, Several, Silent, compare, contenders, publish_comparison,
    publish_sweep, sweep,
};
use pyo3::prelude::*;

use crate::pipeline::{Wanted, spec, watched};

/// What a comparison is asked, as a dictionary of its keywords.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Compared {
    rules: Vec<String>,
    seeds: Option<u64>,
    base: Option<String>,
    tune: Vec<(String, Vec<String>)>,
    budget: Option<u64>,
    jobs: Option<usize>,
}

/// The folder, and the document as JSON; `None` when stopped.
type Ended = (PathBuf, Option<String>);

/// Trains several rules from several seeds.
#[pyfunction]
pub(crate) fn compare_spec(
    py: Python<'_>,
    wanted: Wanted,
    settings: Vec<(String, String)>,
    asked: Compared,
    out: (Option<PathBuf>, bool),
    data_dir: Option<PathBuf>,
    on_event: Bound<'_, PyAny>,
) -> PyResult<Ended> {
    watched(py, on_event, move |stop, _| {
        let (out, resume) = out;
        let spec = spec(&wanted, &settings)?;
        let Compared { rules, seeds, base, tune, budget, jobs } = asked;
        let compared = contenders(&spec, &Asked { rules, seeds, base, tune, budget })?;
        let path = out.unwrap_or_else(|| next_free("runs", &format!("{}-compare", spec.name)));
        let folder = AskedFor::comparison(&spec, &compared).claim(&path, resume)?;
        let data_dir = data_dir.as_deref();
        let found = compare(&spec, &compared, data_dir, &path, jobs, stop, &Silent)?;
        let Several::Done(document) = found else { return Ok((path, None)) };
        publish_comparison(&path, &spec, &compared, &document)?;
        folder.finish()?;
        ended(path, &document.stored())
    })
}

/// Runs a spec with several values of one key.
#[pyfunction]
pub(crate) fn sweep_spec(
    py: Python<'_>,
    wanted: Wanted,
    settings: Vec<(String, String)>,
    field: String,
    values: Vec<String>,
    jobs: Option<usize>,
    out: (Option<PathBuf>, bool),
    data_dir: Option<PathBuf>,
    on_event: Bound<'_, PyAny>,
) -> PyResult<Ended> {
    watched(py, on_event, move |stop, _| {
        let (out, resume) = out;
        let spec = spec(&wanted, &settings)?;
        let path = out.unwrap_or_else(|| next_free("runs", &format!("{}-sweep", spec.name)));
        let folder = AskedFor::sweep(&spec, &field, &values).claim(&path, resume)?;
        let data_dir = data_dir.as_deref();
        let found = sweep(&spec, (&field, &values), data_dir, &path, jobs, stop, &Silent)?;
        let Several::Done(document) = found else { return Ok((path, None)) };
        publish_sweep(&path, &spec, &document)?;
        folder.finish()?;
        ended(path, &document.stored())
    })
}

fn ended(path: PathBuf, document: &impl Document) -> Result<Ended, RunError> {
    Ok((path, Some(document.to_json()?)))
}
