//! The table of model families, for Python.

use corefed_core::{Family, UnknownFamily};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::raise::Mistake;

/// What is known about every family, in the order in which they are listed.
#[pyfunction]
pub(crate) fn families(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let row = |family: Family| {
        let facts = family.facts();
        let row = PyDict::new(py);
        row.set_item("name", facts.name)?;
        row.set_item("title", facts.title)?;
        row.set_item("is_class", facts.targets.is_class())?;
        row.set_item("most_classes", facts.targets.most_classes())?;
        row.set_item("block_per_class", facts.block_per_class)?;
        row.set_item("takes_exposure", facts.takes_exposure)?;
        Ok(row)
    };
    Family::ALL.into_iter().map(row).collect()
}

/// The family of a name that was handed in as `field`.
pub(crate) fn family_named(field: &'static str, name: &str) -> Result<Family, Mistake> {
    name.parse().map_err(|error: UnknownFamily| Mistake::input(field, error.to_string()))
}
