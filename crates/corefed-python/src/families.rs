//! The table of model families, for Python.

use corefed_core::{Family, FamilyVisitor, MarginLoss, UnknownFamily};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
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
        row.set_item("scikit_learn", facts.scikit_learn)?;
        Ok(row)
    };
    Family::ALL.into_iter().map(row).collect()
}

/// What margins of a family of one margin predict; the margins themselves of one per class.
#[pyfunction]
pub(crate) fn family_means<'py>(
    py: Python<'py>,
    family: &str,
    margins: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let mut means = margins.as_array().to_vec();
    family_named("family", family)?.visit(Means(&mut means));
    Ok(means.into_pyarray(py))
}

/// Margins, to be replaced by means.
struct Means<'a>(&'a mut [f64]);

impl FamilyVisitor for Means<'_> {
    type Output = ();

    fn one_margin<L: MarginLoss>(self) {
        for number in self.0 {
            *number = L::mean(*number);
        }
    }

    fn margin_per_class(self) {}
}

/// The family of a name that was handed in as `field`.
pub(crate) fn family_named(field: &'static str, name: &str) -> Result<Family, Mistake> {
    name.parse().map_err(|error: UnknownFamily| Mistake::input(field, error.to_string()))
}
