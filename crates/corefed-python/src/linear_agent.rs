//! One agent's table with a linear model, for Python.

use std::path::Path;

use corefed_data::{Checks, DataError, EncodeOptions, Missing, fit_file};
use corefed_run::{AgentError, Local};
use corefed_sim::Evaluation;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::families::family_named;
use crate::raise::{self, Mistake};

/// The rows of one agent.
#[pyclass(frozen)]
pub(crate) struct LinearAgent(pub(crate) corefed_run::LinearAgent);

/// Local training, as [`Local`] has it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Asked<'py> {
    epochs: usize,
    batch: usize,
    learning_rate: f64,
    momentum: f64,
    weight_decay: f64,
    seed: u64,
    round: u64,
    agent: u64,
    log_utility: Option<(f64, f64)>,
    drift: Option<PyReadonlyArray1<'py, f64>>,
}

#[pymethods]
impl LinearAgent {
    /// Reads a table whose rows all belong to one agent, encoded as agreed.
    #[new]
    fn new(path: &str, encoding: &str, family: &str, l2: f64) -> PyResult<Self> {
        let family = family_named("model", family)?;
        let agent = corefed_run::LinearAgent::open(Path::new(path), encoding, family, l2);
        Ok(Self(agent.map_err(mistake)?))
    }

    /// Number of parameters.
    #[getter]
    fn dim(&self) -> usize {
        self.0.dim()
    }

    /// Number of rows.
    #[getter]
    fn samples(&self) -> usize {
        self.0.samples()
    }

    /// Name of the agent, as the table has it.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// SHA-256 of the file.
    #[getter]
    fn digest(&self) -> &str {
        self.0.digest()
    }

    /// Mean loss, and accuracy of a classifier.
    fn evaluate(&self, params: PyReadonlyArray1<'_, f64>) -> PyResult<(f64, Option<f64>)> {
        let Evaluation { loss, accuracy } = self.0.evaluate(params.as_slice()?).map_err(mistake)?;
        Ok((loss, accuracy))
    }

    /// Steps of local training over all rows this many times; a `batch` of zero is all rows.
    fn steps(&self, epochs: usize, batch: usize) -> usize {
        self.0.steps(epochs, batch)
    }

    /// Parameters after local training.
    fn train<'py>(
        &self,
        py: Python<'py>,
        params: PyReadonlyArray1<'py, f64>,
        local: Asked<'py>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let params = params.as_slice()?;
        let drift = local.drift.as_ref().map(|drift| drift.as_slice()).transpose()?;
        let local = Local {
            epochs: local.epochs,
            batch: local.batch,
            learning_rate: local.learning_rate,
            momentum: local.momentum,
            weight_decay: local.weight_decay,
            seed: local.seed,
            round: local.round,
            agent: local.agent,
            log_utility: local.log_utility,
            drift,
        };
        let after = py.detach(|| self.0.train(params, &local)).map_err(mistake)?;
        Ok(after.into_pyarray(py))
    }

    /// Loss, gradient and Hessian.
    #[expect(clippy::type_complexity, reason = "a tuple of Python")]
    fn derivatives<'py>(
        &self,
        py: Python<'py>,
        params: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<(f64, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>)> {
        let params = params.as_slice()?;
        let found = py.detach(|| self.0.derivatives(params)).map_err(mistake)?;
        let (loss, gradient, hessian) = found;
        let hessian = hessian.into_pyarray(py).reshape([params.len(), params.len()])?;
        Ok((loss, gradient.into_pyarray(py), hessian))
    }
}

/// An agent's error as an exception.
pub(crate) fn mistake(error: AgentError) -> Mistake {
    match error {
        AgentError::Refused(error) => raise::certificate(&error),
        other => Mistake { hint: other.hint(), ..Mistake::input(other.field(), other.to_string()) },
    }
}

/// Learns how to encode a table: names, scales and levels of its columns, as JSON.
#[pyfunction]
#[pyo3(signature = (path, agent, target, family, l2, raw, exposure=None))]
pub(crate) fn fit_encoding(
    path: &str,
    agent: &str,
    target: &str,
    family: &str,
    l2: f64,
    raw: bool,
    exposure: Option<String>,
) -> PyResult<String> {
    let options = EncodeOptions {
        agent_column: agent.to_owned(),
        target_column: target.to_owned(),
        exposure_column: exposure,
        family: family_named("model", family)?,
        intercept: true,
        raw,
        l2,
        allow: Checks::default(),
        missing: Missing::default(),
        written: corefed_core::Writing::default(),
        na: Vec::new(),
        types: Vec::new(),
    };
    let found = fit_file(Path::new(path), &options).map_err(|e| data(&e))?;
    serde_json::to_string(&found.encoded.encoding)
        .map_err(|error| Mistake::input("path", error.to_string()).into())
}

/// The five generated hospitals as a table.
#[pyfunction]
pub(crate) fn hospitals_csv(seed: u64) -> String {
    corefed_data::hospitals_csv(seed)
}

fn data(error: &DataError) -> Mistake {
    Mistake { hint: error.hint(), ..Mistake::input("path", error.to_string()) }
}
