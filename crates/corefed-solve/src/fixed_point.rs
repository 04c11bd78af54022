//! How far a predictor is from being a fixed point of `phi` or `phi_r`.

use corefed_core::linalg::norm_l2;
use corefed_core::nash_coefficients;

use crate::newton::{NewtonSettings, minimise};
use crate::{Ball, Objective, Problem};

/// Distance to a fixed point of the map whose fixed points are (locally) core-stable.
#[derive(Clone, Debug, PartialEq)]
pub struct Residual {
    /// `max_x (1/W) sum_i w_i u_i(x)/u_i(theta) - 1`, >= 0 up to rounding; zero at a fixed point.
    pub value: f64,
    /// The value is at most this far below the true maximum.
    pub gap: f64,
    /// `|phi(theta) - theta|`; the maximiser need not be unique, so read it with `value`.
    pub distance: f64,
}

/// Applies `phi` once (ledger E18): the best predictor when every agent's utility counts in
/// inverse proportion to what it has now.
///
/// `within` restricts it to `|x - theta| <= r` (`phi_r`); `None` searches the whole ball. `None` comes
/// back when some utility is not positive, where the map is not defined.
#[must_use]
pub fn fixed_point_residual(
    problem: &Problem<'_>,
    params: &[f64],
    within: Option<f64>,
) -> Option<Residual> {
    let now = problem.utilities_at(params);
    if now.iter().any(|u| *u <= 0.0) {
        return None;
    }
    let ball = match within {
        Some(radius) => Ball::new(params.to_vec(), radius),
        None => problem.ball.clone(),
    };
    let coefficients = nash_coefficients(&now, &problem.weights);
    let objective = Objective::Average { weights: coefficients.clone() };
    let (settings, halt) = (NewtonSettings::default(), || problem.is_halted());
    let best = minimise(problem.losses, &objective, &ball, params, settings, &halt);
    let moved: Vec<f64> = best.params.iter().zip(params).map(|(a, b)| a - b).collect();
    // sum_i c_i (L_i(theta) - L_i(x)) = sum_i w_i (u_i(x)/u_i(theta) - 1), without cancellation of
    // the ceilings.
    let before = problem.losses_at(params);
    let rise: f64 = coefficients
        .iter()
        .zip(before.iter().zip(&best.losses))
        .map(|(c, (b, a))| c * (b - a))
        .sum();
    let total = problem.weights.total();
    Some(Residual { value: rise / total, gap: best.gap / total, distance: norm_l2(&moved) })
}
