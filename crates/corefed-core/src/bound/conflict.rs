//! Conflicts: coalitions that provably cannot all gain much, and why.

use serde::{Deserialize, Serialize};

#[cfg(test)]
use crate::linalg::{dot, norm_l2};

/// A dual proof that bounds every coalition containing its agents (ledger E10).
///
/// With multipliers `p_i > 0` over some agents, `sum_i p_i u_i(x)` is concave in `x`, so its tangent at
/// a point bounds it over the whole ball. No coalition that contains those agents can give all of them
/// a gain above that bound over `sum_i p_i u_i(theta)`, whatever the rival.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Conflict {
    /// Agents with a positive multiplier, ascending.
    pub agents: Vec<usize>,
    /// Their multipliers on utilities, positive, of any sum: meant exactly as written.
    pub multipliers: Vec<f64>,
    /// Where the tangent is taken: any parameters in the ball will do, good ones give tight bounds.
    pub point: Vec<f64>,
    /// What is added to `point`, exactly, where doubles are too far apart to come near an optimum; the
    /// sum lies in the ball.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<Vec<f64>>,
    /// No rival in the ball has `min_i gain_i` above this.
    pub bound: f64,
    /// The multiplier `nu >= 0` of the sphere, for a bound that uses how the losses curve
    /// (ledger E44); without it the bound is the tangent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sphere: Option<f64>,
}

/// `sum_i lambda_i u_i(x) + <g, x> + R |g|` with `g = sum_i lambda_i grad L_i(x)` (ledger E10): an
/// upper bound of the concave `sum_i lambda_i u_i` over the ball of radius `R` about zero.
#[cfg(test)]
pub(super) fn dual_bound(value: f64, loss_gradient: &[f64], point: &[f64], radius: f64) -> f64 {
    value + dot(loss_gradient, point) + radius * norm_l2(loss_gradient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tangent_bounds_a_parabola_over_the_ball() {
        // u = 1 - t^2 on |t| <= 2, tangent at 1/2: 3/4 + 1/2 + 2 = 3.25 >= max u = 1; at the top
        // the bound is exact.
        assert!((dual_bound(0.75, &[1.0], &[0.5], 2.0) - 3.25).abs() < 1e-15);
        assert!((dual_bound(1.0, &[0.0], &[0.0], 2.0) - 1.0).abs() < 1e-15);
    }
}
