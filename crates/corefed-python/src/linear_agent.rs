//! One agent's table with a linear model: what a client of a deployment computes, by the engine's code.

use std::path::Path;

use corefed_core::Seed;
use corefed_core::{Encoding, Family};
use corefed_data::{
    Checks, DataError, Design, EncodeOptions, Federation, Missing, apply_file, fit_file,
};
use corefed_model::{ConvexLosses, FederationLosses};
use corefed_rules::{LocalObjective, LogUtility};
use corefed_sim::{Drift, Evaluation, Federated, Job, LinearFederation, Part, Samples};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::families::family_named;
use crate::raise::Mistake;

/// The rows of one agent.
#[pyclass(frozen)]
pub(crate) struct LinearAgent {
    pub(crate) federation: Federation,
    pub(crate) family: Family,
    pub(crate) encoding: Encoding,
    pub(crate) l2: f64,
    digest: String,
}

/// Local training, as the spec words it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Local<'py> {
    epochs: usize,
    /// Rows per step; zero is all of them.
    batch: usize,
    learning_rate: f64,
    momentum: f64,
    weight_decay: f64,
    seed: u64,
    round: u64,
    /// Position of the agent in its federation.
    agent: u64,
    /// Ceiling and floor of a log that is climbed instead, under PropFair.
    log_utility: Option<(f64, f64)>,
    /// What is added to the gradient in every step.
    drift: Option<PyReadonlyArray1<'py, f64>>,
}

#[pymethods]
impl LinearAgent {
    /// Reads a table whose rows all belong to one agent, encoded as agreed.
    #[new]
    fn new(path: &str, encoding: &str, family: &str, l2: f64) -> PyResult<Self> {
        let encoding: Encoding = serde_json::from_str(encoding).map_err(|error| {
            Mistake::input("encoding", format!("the encoding is not one: {error}"))
        })?;
        let family = family_named("model", family)?;
        let applied = apply_file(Path::new(path), &encoding, family).map_err(|e| data(&e))?;
        let agents = applied.federation.agents();
        if agents.len() != 1 {
            let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
            let message = format!("`{path}` has rows of {}, not of one agent", names.join(", "));
            return Err(Mistake::input("path", message).into());
        }
        Ok(Self { family, encoding, l2, digest: applied.digest, federation: applied.federation })
    }

    /// Number of parameters.
    #[getter]
    fn dim(&self) -> usize {
        self.losses().dim()
    }

    /// Number of rows.
    #[getter]
    fn samples(&self) -> usize {
        self.federation.agents()[0].samples()
    }

    /// Name of the agent, as the table has it.
    #[getter]
    fn name(&self) -> &str {
        &self.federation.agents()[0].name
    }

    /// SHA-256 of the file.
    #[getter]
    fn digest(&self) -> &str {
        &self.digest
    }

    /// Mean loss, and accuracy of a classifier.
    fn evaluate(&self, params: PyReadonlyArray1<'_, f64>) -> PyResult<(f64, Option<f64>)> {
        let params = self.checked(&params)?;
        let linear = self.linear();
        let model = linear.prepare(params);
        let found = linear.evaluate(&model, Part::Train, &[0]);
        let found = found.map_err(|failure| Mistake::input("path", failure.reason))?;
        let found = found.into_iter().next().flatten();
        let Evaluation { loss, accuracy } =
            found.ok_or_else(|| Mistake::input("path", "the table has no rows"))?;
        Ok((loss, accuracy))
    }

    /// Steps of local training over all rows this many times; a `batch` of zero is all rows.
    fn steps(&self, epochs: usize, batch: usize) -> usize {
        epochs * self.samples().div_ceil(self.batch(batch))
    }

    /// Parameters after local training.
    fn train<'py>(
        &self,
        py: Python<'py>,
        params: PyReadonlyArray1<'py, f64>,
        local: Local<'py>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let params = self.checked(&params)?;
        let drift = local.drift.as_ref().map(|drift| self.checked(drift)).transpose()?;
        // The server sends the difference.
        let own = vec![0.0; params.len()];
        let seed = Seed(local.seed).derive("train").derive("local").derive_index(local.round);
        let job = Job {
            steps: self.steps(local.epochs, local.batch),
            batch: self.batch(local.batch),
            learning_rate: local.learning_rate,
            momentum: local.momentum,
            weight_decay: local.weight_decay,
            seed: seed.derive_index(local.agent),
            objective: local.log_utility.map_or(LocalObjective::Loss, |(ceiling, floor)| {
                LocalObjective::LogUtility(LogUtility { ceiling, floor: floor * ceiling })
            }),
            drift: drift.map(|common| Drift { common, own: &own }),
        };
        let mut update = vec![0.0; params.len()];
        py.detach(|| {
            let linear = self.linear();
            let model = linear.prepare(params);
            linear.train(&model, 0, &job, &mut linear.workspace(), &mut update);
        });
        let after: Vec<f64> = params.iter().zip(&update).map(|(p, u)| p + u).collect();
        Ok(after.into_pyarray(py))
    }

    /// Loss, gradient and Hessian.
    #[expect(clippy::type_complexity, reason = "a tuple of Python")]
    fn derivatives<'py>(
        &self,
        py: Python<'py>,
        params: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<(f64, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>)> {
        let params = self.checked(&params)?;
        let dim = params.len();
        let (mut loss, mut gradient) = ([0.0], vec![0.0; dim]);
        let mut hessian = vec![0.0; dim * dim];
        let losses = self.losses();
        py.detach(|| {
            losses.gradients(params, &[0], &mut loss, &mut gradient);
            losses.add_hessian(params, &[0], &[1.0], &mut hessian);
        });
        // The lower triangle is what was computed.
        for row in 0..dim {
            for column in row + 1..dim {
                hessian[row * dim + column] = hessian[column * dim + row];
            }
        }
        let hessian = hessian.into_pyarray(py).reshape([dim, dim])?;
        Ok((loss[0], gradient.into_pyarray(py), hessian))
    }
}

impl LinearAgent {
    fn classes(&self) -> usize {
        self.encoding.classes.len()
    }

    fn batch(&self, asked: usize) -> usize {
        let rows = self.samples();
        if asked == 0 { rows } else { asked.min(rows) }
    }

    pub(crate) fn losses(&self) -> FederationLosses<'_> {
        FederationLosses::new(&self.federation, self.family, self.classes(), self.l2)
    }

    fn linear(&self) -> LinearFederation<&Design, f64> {
        let rows = Samples {
            rows: self.federation.design(),
            target: self.federation.target().to_vec(),
            offsets: self.federation.offsets(0..self.samples()).to_vec(),
            owned: self.federation.agents().iter().map(|agent| agent.rows.clone()).collect(),
        };
        LinearFederation::new(self.family, self.classes(), self.l2, rows)
    }

    fn checked<'a>(&self, params: &'a PyReadonlyArray1<'_, f64>) -> PyResult<&'a [f64]> {
        let (found, expected) = (params.as_slice()?, self.dim());
        if found.len() != expected {
            let message =
                format!("the model has {} parameters, the table needs {expected}", found.len());
            return Err(Mistake::input("params", message).into());
        }
        Ok(found)
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
