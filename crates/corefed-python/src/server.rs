//! The server step on arrays.

use corefed_core::Weights;
use corefed_rules::{LogUtility, PartedUpdate, Report, Scalar, Server, ServerState, ServerStep};
use corefed_sim::Objective;
use numpy::{
    AllowTypeChange, Element, IntoPyArray, PyArray1, PyArrayLike1, PyReadonlyArrayDyn,
    PyReadwriteArrayDyn,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::raise::{self, Mistake};
use crate::rule::{Safeguards, rule};

/// A rule, its safeguards and what is fixed about the federation.
#[pyclass(frozen, name = "Server")]
pub(crate) struct RawServer {
    pub(crate) server: Server,
    objective: Option<Objective>,
    #[pyo3(get)]
    needs_learning_rate: bool,
}

/// What a round did.
#[pyclass(frozen, get_all)]
pub(crate) struct Applied {
    multipliers: Py<PyArray1<f64>>,
    ceilings: Py<PyArray1<f64>>,
    utilities: Py<PyArray1<f64>>,
    velocity: Py<PyAny>,
    weights: Vec<(usize, f64)>,
    rejected: Vec<(usize, String)>,
    floored: Vec<usize>,
    raised: Vec<(usize, f64)>,
    capped: Vec<usize>,
    clipped: Vec<usize>,
    warm_up: bool,
    no_pull: bool,
}

/// The state a round starts from; missing parts are those of the first round.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct State<'py> {
    multipliers: PyArrayLike1<'py, f64, AllowTypeChange>,
    ceilings: PyArrayLike1<'py, f64, AllowTypeChange>,
    utilities: PyArrayLike1<'py, f64, AllowTypeChange>,
    velocity: Bound<'py, PyAny>,
}

#[pymethods]
impl RawServer {
    #[new]
    #[pyo3(signature = (name, knobs, safeguards, step, momentum, weights, average, ceilings))]
    fn new(
        name: &str,
        knobs: &Bound<'_, PyDict>,
        safeguards: Safeguards,
        step: f64,
        momentum: f64,
        weights: Vec<f64>,
        average: Vec<f64>,
        ceilings: Vec<f64>,
    ) -> PyResult<Self> {
        let rule = rule(name, knobs)?;
        let weights = Weights::new(weights).map_err(|error| raise::weight("weights", error))?;
        let average = Weights::new(average).map_err(|error| raise::weight("samples", error))?;
        let own = rule.info().weighs_by.choose(&weights, &average);
        let step = ServerStep { step, momentum };
        let safety = safeguards.safety()?;
        let objective = Objective::of(rule, &safety, own, &ceilings);
        let server = Server::new(rule, safety, step, own, ceilings)
            .and_then(|server| server.warming_up_by(&average))
            .map_err(|error| raise::server(&error))?;
        Ok(Self { server, objective, needs_learning_rate: rule.needs_learning_rate() })
    }

    /// Moves `params` in place and says what happened; `params` and `updates` are lists of parts.
    #[pyo3(signature = (params, updates, agents, losses, learning_rate, part, state))]
    fn apply_f32<'py>(
        &self,
        py: Python<'py>,
        params: Vec<PyReadwriteArrayDyn<'py, f32>>,
        updates: Vec<Vec<PyReadonlyArrayDyn<'py, f32>>>,
        agents: Vec<usize>,
        losses: Vec<f64>,
        learning_rate: f64,
        part: f64,
        state: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Applied> {
        self.apply(py, params, &updates, &agents, &losses, learning_rate, part, state)
    }

    /// The same in double precision.
    #[pyo3(signature = (params, updates, agents, losses, learning_rate, part, state))]
    fn apply_f64<'py>(
        &self,
        py: Python<'py>,
        params: Vec<PyReadwriteArrayDyn<'py, f64>>,
        updates: Vec<Vec<PyReadonlyArrayDyn<'py, f64>>>,
        agents: Vec<usize>,
        losses: Vec<f64>,
        learning_rate: f64,
        part: f64,
        state: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Applied> {
        self.apply(py, params, &updates, &agents, &losses, learning_rate, part, state)
    }

    /// Which of several models the rule likes best by everybody's losses with each (ledger E49).
    fn choose(&self, models: Vec<Vec<f64>>) -> PyResult<usize> {
        let objective = self.objective.as_ref();
        let objective =
            objective.ok_or_else(|| Mistake::input("rule", "the rule has no objective"))?;
        Ok(objective.choose(&models))
    }
}

impl RawServer {
    /// The state of a dictionary, or that of the first round.
    pub(crate) fn state<T: Scalar + Element>(
        &self,
        state: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<ServerState<T>> {
        state.map_or_else(|| Ok(self.server.init()), read_state)
    }

    fn apply<'py, T: Scalar + Element>(
        &self,
        py: Python<'py>,
        mut params: Vec<PyReadwriteArrayDyn<'py, T>>,
        updates: &[Vec<PyReadonlyArrayDyn<'py, T>>],
        agents: &[usize],
        losses: &[f64],
        learning_rate: f64,
        part: f64,
        state: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Applied> {
        let mut state = self.state(state.as_ref())?;
        let mut parts: Vec<&mut [T]> =
            params.iter_mut().map(|part| part.as_slice_mut()).collect::<Result<_, _>>()?;
        let deltas: Vec<Vec<&[T]>> = updates
            .iter()
            .map(|parts| parts.iter().map(|part| part.as_slice()).collect())
            .collect::<Result<_, _>>()?;
        let server = &self.server;
        let applied = py
            .detach(|| {
                let reports = agents.iter().zip(losses);
                let updates: Vec<PartedUpdate<'_, T>> = (reports.zip(deltas))
                    .map(|((&agent, &loss), deltas)| {
                        PartedUpdate::measured(Report { agent, samples: 0, loss }, deltas)
                    })
                    .collect();
                server.apply_parts(&mut state, &mut parts, &updates, learning_rate, part)
            })
            .map_err(|error| raise::server(&error))?;
        let rejected = applied.rejected.iter().map(|r| (r.agent, r.reason.to_string())).collect();
        let acted = applied.interventions;
        Ok(Applied {
            multipliers: state.multipliers.into_pyarray(py).unbind(),
            ceilings: state.ceilings.into_pyarray(py).unbind(),
            utilities: state.utilities.into_pyarray(py).unbind(),
            velocity: state.velocity.into_pyarray(py).into_any().unbind(),
            weights: applied.coefficients,
            rejected,
            floored: acted.floored,
            raised: acted.raised,
            capped: acted.capped,
            clipped: acted.clipped,
            warm_up: acted.warm_up,
            no_pull: applied.no_pull,
        })
    }
}

fn read_state<T: Scalar + Element>(state: &Bound<'_, PyDict>) -> PyResult<ServerState<T>> {
    let state: State = state.extract()?;
    let velocity: PyReadonlyArrayDyn<T> = state.velocity.extract().map_err(|_| Mistake {
        hint: Some("start with `state=None` when the type of the model changes".to_owned()),
        ..Mistake::input("state", format!("the velocity is not an array of {}", T::NAME))
    })?;
    Ok(ServerState {
        multipliers: state.multipliers.as_array().to_vec(),
        ceilings: state.ceilings.as_array().to_vec(),
        utilities: state.utilities.as_array().to_vec(),
        velocity: velocity.as_slice()?.to_vec(),
    })
}

/// `1/max(ceiling - loss, floor * ceiling)`: the factor of a mini-batch's gradient under PropFair.
#[pyfunction]
pub(crate) fn log_slope(loss: f64, ceiling: f64, floor: f64) -> f64 {
    LogUtility { ceiling, floor: floor * ceiling }.slope(loss)
}
