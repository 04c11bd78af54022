//! The point about which an agent's squared loss is written down: its own fit.
//!
//! About zero the loss `theta'A theta - 2b'theta + c` is a small difference of large numbers when
//! targets have an offset. About a point near the minimum nothing cancels: the constant is the
//! loss there, computed from residuals, and the rest is what moving away adds.

use corefed_core::linalg::axpy;
use corefed_data::{Agent, Federation};
use pulp::Arch;

use crate::{
    Quadratic,
    cholesky::{Cholesky, damped},
    residual::ResidualPass,
    rows::Rows,
};

/// Relative damping of the normal equations, so that redundant features do no harm. The fit
/// need not be the minimum: whatever is left is in the linear part.
const DAMPING: f64 = 1e-11;
/// Steps of refinement; two are typical.
const STEPS: usize = 6;
/// A step that does not lower the loss by this share was the last.
const PROGRESS: f64 = 1e-3;

/// A point with the loss and minus half its gradient there.
struct Fit {
    point: Vec<f64>,
    loss: f64,
    slope: Vec<f64>,
}

/// About where the sum of all losses is least, from which agents look for their own minimum.
///
/// An agent with few rows has many minima, and the one nearest to zero may be far from every model that
/// suits the others: with an offset of 1e7 so far that nothing is left of its loss there.
pub(crate) fn common_fit(forms: &[Quadratic], dim: usize) -> Vec<f64> {
    let (mut matrix, mut point) = (vec![0.0; dim * dim], vec![0.0; dim]);
    for form in forms {
        axpy(1.0, &form.matrix, &mut matrix);
        axpy(1.0, &form.linear, &mut point);
    }
    match Cholesky::new(&matrix, dim, |a| damped(a, DAMPING)) {
        Some(factor) => factor.solve(&mut point),
        None => point.fill(0.0),
    }
    point
}

/// Rewrites the loss `about_zero` of one agent's rows about a minimum near `start`; returns that
/// point and the quadratic in the distance from it.
pub(crate) fn fitted(
    federation: &Federation,
    always: Option<usize>,
    agent: &Agent,
    l2: f64,
    about_zero: Quadratic,
    start: &[f64],
) -> (Vec<f64>, Quadratic) {
    let dim = about_zero.linear.len();
    let Quadratic { matrix, linear, constant } = about_zero;
    let mut best = Fit::at(federation, always, agent, l2, start.to_vec());
    if !best.loss.is_finite() {
        best = Fit { point: vec![0.0; dim], loss: constant, slope: linear };
    }
    if let Some(factor) = Cholesky::new(&matrix, dim, |a| damped(a, DAMPING)) {
        for _ in 0..STEPS {
            let mut step = best.slope.clone();
            factor.solve(&mut step);
            let point = best.point.iter().zip(&step).map(|(p, s)| p + s).collect();
            let next = Fit::at(federation, always, agent, l2, point);
            let enough = next.loss < (1.0 - PROGRESS) * best.loss;
            // Not so for a loss that is not a number: then the last point stands.
            if next.loss <= best.loss {
                best = next;
            }
            if !enough {
                break;
            }
        }
    }
    (best.point, Quadratic { matrix, linear: best.slope, constant: best.loss })
}

impl Fit {
    /// Loss and slope from residuals. The ridge is about zero, not about the point.
    fn at(
        federation: &Federation,
        always: Option<usize>,
        agent: &Agent,
        l2: f64,
        point: Vec<f64>,
    ) -> Self {
        let mut slope = vec![0.0; point.len()];
        let rows = Rows::new(federation.design(), always, agent.rows.clone())
            .weighted(federation.row_weights(agent.rows.clone()));
        let squares = Arch::new().dispatch(ResidualPass {
            rows,
            target: &federation.target()[agent.rows.clone()],
            params: &point,
            slope: &mut slope,
        });
        let samples = agent.samples() as f64;
        for (slope, p) in slope.iter_mut().zip(&point) {
            *slope = *slope / samples - 0.5 * l2 * p;
        }
        let ridge = 0.5 * l2 * point.iter().map(|p| p * p).sum::<f64>();
        Self { loss: squares / samples + ridge, slope, point }
    }
}
