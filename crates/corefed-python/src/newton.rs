//! Newton's step on log-welfare from what agents sent, by the engine's own code.

use corefed_core::Weights;
use corefed_core::linalg::axpy;
use corefed_model::ConvexLosses;
use corefed_sim::{FlooredWelfare, NewtonState, Trial, newton_round};
use corefed_solve::Ball;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;

use crate::raise::{self, Mistake};

/// Losses with derivatives at one point, as they arrived. Nobody can be asked about another.
struct Received<'a> {
    dim: usize,
    losses: &'a [f64],
    /// Row after row.
    gradients: &'a [f64],
    /// Matrix after matrix.
    hessians: &'a [f64],
}

impl ConvexLosses for Received<'_> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn agents(&self) -> usize {
        self.losses.len()
    }

    fn strong_convexity(&self) -> f64 {
        0.0
    }

    fn losses(&self, _: &[f64], members: &[usize], losses: &mut [f64]) {
        for (loss, &member) in losses.iter_mut().zip(members) {
            *loss = self.losses[member];
        }
    }

    fn gradients(
        &self,
        params: &[f64],
        members: &[usize],
        losses: &mut [f64],
        gradients: &mut [f64],
    ) {
        self.losses(params, members, losses);
        for (row, &member) in gradients.chunks_exact_mut(self.dim).zip(members) {
            row.copy_from_slice(&self.gradients[member * self.dim..][..self.dim]);
        }
    }

    fn add_hessian(&self, _: &[f64], members: &[usize], coefficients: &[f64], hessian: &mut [f64]) {
        let square = self.dim * self.dim;
        for (coefficient, &member) in coefficients.iter().zip(members) {
            axpy(*coefficient, &self.hessians[member * square..][..square], hessian);
        }
    }

    fn hessian_vector(
        &self,
        _: &[f64],
        members: &[usize],
        coefficients: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) {
        product.fill(0.0);
        let square = self.dim * self.dim;
        for (coefficient, &member) in coefficients.iter().zip(members) {
            let rows = self.hessians[member * square..][..square].chunks_exact(self.dim);
            for (entry, row) in product.iter_mut().zip(rows) {
                *entry += coefficient * corefed_core::linalg::dot(row, direction);
            }
        }
    }
}

/// A trial step between two rounds: accepted parameters, direction, and value, slope, length there.
type TrialArrays<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, (f64, f64, f64));

/// One exchange of federated Newton: the model to send next, how hard each agent pulls, who was below
/// the floor, and the trial to pass in next time.
#[pyfunction]
#[pyo3(signature = (params, losses, gradients, hessians, weights, ceilings, floor, radius, trial))]
#[expect(clippy::type_complexity, reason = "a tuple of Python")]
pub(crate) fn newton_step<'py>(
    py: Python<'py>,
    params: PyReadonlyArray1<'py, f64>,
    losses: Vec<f64>,
    gradients: PyReadonlyArray2<'py, f64>,
    hessians: PyReadonlyArray3<'py, f64>,
    weights: Vec<f64>,
    ceilings: Vec<f64>,
    floor: f64,
    radius: f64,
    trial: Option<(PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>, (f64, f64, f64))>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Vec<f64>, Vec<usize>, Option<TrialArrays<'py>>)> {
    let params = params.as_slice()?;
    let (agents, dim) = (losses.len(), params.len());
    let gradients = gradients.as_slice()?;
    let hessians = hessians.as_slice()?;
    let right = gradients.len() == agents * dim && hessians.len() == agents * dim * dim;
    if !right || weights.len() != agents || ceilings.len() != agents {
        return Err(Mistake::input("gradients", "derivatives of every agent are needed").into());
    }
    if !(floor > 0.0 && floor < 1.0) {
        return Err(Mistake::input("floor", "the floor must lie between zero and one").into());
    }
    if radius.is_nan() || radius <= 0.0 {
        return Err(Mistake::input("radius", "the radius must be positive").into());
    }
    let weights = Weights::new(weights).map_err(|error| raise::weight("weights", error))?;
    let welfare = FlooredWelfare { weights, ceilings, floor };
    let ball = Ball::about_zero(dim, radius);
    let mut state = NewtonState::default();
    if let Some((params, direction, (value, slope, length))) = trial {
        let (params, direction) = (params.as_slice()?.to_vec(), direction.as_slice()?.to_vec());
        state.trial = Some(Trial { params, value, direction, slope, length });
    }
    let received = Received { dim, losses: &losses, gradients, hessians };
    let (next, exchange) =
        py.detach(|| newton_round(&received, &welfare, &ball, params, &mut state));
    let trial = state.trial.map(|trial| {
        let scalars = (trial.value, trial.slope, trial.length);
        (trial.params.into_pyarray(py), trial.direction.into_pyarray(py), scalars)
    });
    Ok((next.into_pyarray(py), exchange.slopes, exchange.floored, trial))
}
