//! Choices among listed models.

use std::path::PathBuf;

use corefed_core::Prefer;
use corefed_data::{Table, UtilityTable};
use corefed_documents::{Document, to_json};
use corefed_run::{RunError, choices, choose_among};
use num_rational::BigRational;
use num_traits::Signed;
use pyo3::prelude::*;

use crate::raise::{self, Mistake};

/// Chooses among the models of a table in CSV; gives the choice and its certificate as JSON.
#[pyfunction]
#[pyo3(signature = (file, csv, group, losses, weights))]
pub(crate) fn choose_text(
    py: Python<'_>,
    file: &str,
    csv: &str,
    group: Option<&str>,
    losses: bool,
    weights: Vec<f64>,
) -> PyResult<(String, String)> {
    let exact = |value: &f64| BigRational::from_float(*value).filter(Signed::is_positive);
    let Some(weights) = weights.iter().map(exact).collect::<Option<Vec<_>>>() else {
        let message = "weights must be positive and finite".to_owned();
        return Err(Mistake::input("weights", message).into());
    };
    let prefer = if losses { Prefer::Smaller } else { Prefer::Larger };
    let decided = py.detach(|| -> Result<(String, String), RunError> {
        let table = UtilityTable::from_table(&Table::parse(file, csv.as_bytes())?, group)?;
        let chosen = choose_among(&table, group, prefer, &weights)?;
        Ok((chosen.choice.to_json()?, to_json(&chosen.certificate)?))
    });
    // What is wrong with a table is wrong with what the caller passed.
    Ok(decided.map_err(|error| match error {
        RunError::Data(_) | RunError::Given(_) => {
            Mistake { hint: error.hint(), ..Mistake::input("models", error.message()) }
        }
        other => raise::run(&other),
    })?)
}

/// The models of a run's or a comparison's folder: the table, and whether it is about held-out rows.
#[pyfunction]
#[pyo3(signature = (folder, seed))]
pub(crate) fn choices_of(folder: PathBuf, seed: Option<u64>) -> PyResult<(String, bool)> {
    let listed = choices(&folder, seed).map_err(|error| raise::run(&error))?;
    Ok((listed.csv, listed.held_out))
}
