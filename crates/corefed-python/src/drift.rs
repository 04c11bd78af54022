//! Control variates of agents that train elsewhere, as the engine mixes and learns them (ledger E48).

use corefed_rules::{Report, Scalar, ServerState};
use corefed_sim::{Walk, learn_control, mix_controls};
use numpy::{
    Element, IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::raise::Mistake;
use crate::server::RawServer;

#[pymethods]
impl RawServer {
    /// The rows of `controls`, one per agent, mixed by the pulls of a round; the state stays as it is.
    #[pyo3(signature = (controls, agents, losses, state))]
    fn mix_f32<'py>(
        &self,
        py: Python<'py>,
        controls: PyReadonlyArray2<'py, f32>,
        agents: Vec<usize>,
        losses: Vec<f64>,
        state: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        self.mix(py, &controls, &agents, &losses, state.as_ref())
    }

    /// The same in double precision.
    #[pyo3(signature = (controls, agents, losses, state))]
    fn mix_f64<'py>(
        &self,
        py: Python<'py>,
        controls: PyReadonlyArray2<'py, f64>,
        agents: Vec<usize>,
        losses: Vec<f64>,
        state: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.mix(py, &controls, &agents, &losses, state.as_ref())
    }
}

impl RawServer {
    fn mix<'py, T: Scalar + Element>(
        &self,
        py: Python<'py>,
        controls: &PyReadonlyArray2<'py, T>,
        agents: &[usize],
        losses: &[f64],
        state: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<T>>> {
        let (rows, dim) = (controls.shape()[0], controls.shape()[1]);
        if rows != self.server.agents() {
            let message = format!("there are {rows} controls of {} agents", self.server.agents());
            return Err(Mistake::input("controls", message).into());
        }
        let (mut state, controls) = (self.state::<T>(state)?, controls.as_slice()?);
        let fresh = self.server.init::<T>();
        let sizes = |s: &ServerState<T>| (s.multipliers.len(), s.ceilings.len(), s.utilities.len());
        if sizes(&state) != sizes(&fresh) {
            let message = "this state belongs to another federation";
            return Err(Mistake::input("state", message).into());
        }
        let reports = agents.iter().zip(losses);
        let mut reports: Vec<Report> =
            reports.map(|(&agent, &loss)| Report { agent, samples: 0, loss }).collect();
        // As a step takes them.
        reports.sort_by_key(|report| report.agent);
        let mut common = vec![T::ZERO; dim];
        py.detach(|| {
            let plan = self.server.plan(&mut state, &reports);
            mix_controls(&plan, |agent| &controls[agent * dim..][..dim], &mut common);
        });
        Ok(common.into_pyarray(py))
    }
}

/// Moves `own` to what an agent's steps say of its gradient.
#[pyfunction]
pub(crate) fn learn_control_f32(
    own: PyReadwriteArray1<'_, f32>,
    common: PyReadonlyArray1<'_, f32>,
    update: PyReadonlyArray1<'_, f32>,
    steps: usize,
    learning_rate: f64,
    momentum: f64,
) -> PyResult<()> {
    learn(own, &common, &update, Walk { steps, learning_rate, momentum })
}

/// The same in double precision.
#[pyfunction]
pub(crate) fn learn_control_f64(
    own: PyReadwriteArray1<'_, f64>,
    common: PyReadonlyArray1<'_, f64>,
    update: PyReadonlyArray1<'_, f64>,
    steps: usize,
    learning_rate: f64,
    momentum: f64,
) -> PyResult<()> {
    learn(own, &common, &update, Walk { steps, learning_rate, momentum })
}

fn learn<T: Scalar + Element>(
    mut own: PyReadwriteArray1<'_, T>,
    common: &PyReadonlyArray1<'_, T>,
    update: &PyReadonlyArray1<'_, T>,
    walk: Walk,
) -> PyResult<()> {
    let (common, update) = (common.as_slice()?, update.as_slice()?);
    let own = own.as_slice_mut()?;
    if own.len() != common.len() || own.len() != update.len() {
        return Err(Mistake::input("update", "controls and update differ in length").into());
    }
    learn_control(walk, update, common, own);
    Ok(())
}
