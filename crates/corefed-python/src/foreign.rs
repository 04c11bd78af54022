//! Models of any kind, by arrays of what they predict.

use corefed_core::CeilingPolicy;
use corefed_documents::Document;
use corefed_run::{
    ForeignModels, Judged, OwnedRows, Predictions, RowLoss, RunError, Targets, UnknownLoss,
};
use num_rational::BigRational;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::raise::{self, Mistake};
use crate::terms::{Told, ceiling_policy, unresolved};

/// Rows without features.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Owned<'py> {
    agents: Vec<String>,
    owners: PyReadonlyArray1<'py, i64>,
    /// Numbers, or places of classes.
    targets: PyReadonlyArray1<'py, f64>,
    /// Empty where targets are numbers.
    classes: Vec<String>,
}

/// How models are judged.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Terms {
    loss: String,
    clip: f64,
    /// Absent for the usual one of the loss.
    ceiling: Option<Told>,
    weights: Vec<f64>,
    tolerance: f64,
}

/// What `audit_models` found: losses by model and agent, ceilings, one document per model, and the table of
/// utilities.
type Found = (Vec<Vec<f64>>, Vec<f64>, Vec<String>, String);

/// Audits every model against the others; predictions are one row per row of data, with one column, or one
/// per class for probabilities.
#[pyfunction]
pub(crate) fn audit_models(
    py: Python<'_>,
    rows: Owned<'_>,
    models: Vec<(String, PyReadonlyArray2<'_, f64>)>,
    terms: Terms,
) -> PyResult<Found> {
    let loss: RowLoss = terms
        .loss
        .parse()
        .map_err(|error: UnknownLoss| Mistake::input("loss", error.to_string()))?;
    let rows = owned(&rows, loss);
    let models: Vec<(String, Predictions)> =
        models.into_iter().map(|(name, cells)| (name, predictions(&cells, loss))).collect();
    let ceiling = match (terms.ceiling, loss.usual_ceiling()) {
        (Some(Told::PerAgent(values)), _) => CeilingPolicy::PerAgent(values),
        (Some(Told::Policy(text)), _) => ceiling_policy(&text, "ceiling")?,
        (None, Some(usual)) => ceiling_policy(&usual.to_string(), "ceiling")?,
        (None, None) => return Err(no_ceiling().into()),
    };
    let exact = |value: &f64| BigRational::from_float(*value).unwrap_or_default();
    let weights = terms.weights.iter().map(exact).collect();
    let judged = Judged { loss, clip: terms.clip };
    let work = || -> Result<Found, RunError> {
        let place = |row: usize| format!("row {row}");
        let found = ForeignModels::new(&rows, models, judged, &ceiling, weights, &place)?;
        let document = |model: &String| Ok(found.audit(model, terms.tolerance)?.0.to_json()?);
        let documents = found.models.iter().map(document).collect::<Result<_, RunError>>()?;
        let csv = found.utilities_csv()?;
        Ok((found.losses, found.ceilings, documents, csv))
    };
    Ok(py.detach(work).map_err(|error| match &error {
        RunError::Ceiling(wrong) => unresolved(wrong, &rows.agents, "ceiling"),
        other => raise::run(other),
    })?)
}

fn no_ceiling() -> Mistake {
    let hint = "a number, or one per agent: the loss at which an agent gets nothing".to_owned();
    let message = "`ceiling` is needed: losses alone do not say what it could be".to_owned();
    Mistake { hint: Some(hint), ..Mistake::input("ceiling", message) }
}

fn place(value: f64) -> usize {
    // Places of classes come from Python as whole numbers.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and small")]
    let place = value as usize;
    place
}

fn owned(rows: &Owned<'_>, loss: RowLoss) -> OwnedRows {
    let index = |owner: &i64| usize::try_from(*owner).unwrap_or_default();
    let targets = rows.targets.as_array();
    OwnedRows {
        agents: rows.agents.clone(),
        owners: rows.owners.as_array().iter().map(index).collect(),
        targets: match loss.of_classes() {
            None => Targets::Unused,
            Some(false) => Targets::Numbers(targets.to_vec()),
            Some(true) => Targets::Classes {
                labels: targets.iter().copied().map(place).collect(),
                names: rows.classes.clone(),
            },
        },
    }
}

fn predictions(cells: &PyReadonlyArray2<'_, f64>, loss: RowLoss) -> Predictions {
    let cells = cells.as_array();
    let first = || cells.rows().into_iter().map(|row| row[0]);
    match loss {
        RowLoss::Log => {
            Predictions::Shares(cells.rows().into_iter().map(|row| row.to_vec()).collect())
        }
        RowLoss::ZeroOne => Predictions::Classes(first().map(place).collect()),
        _ => Predictions::Numbers(first().collect()),
    }
}
