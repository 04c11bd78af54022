//! What one gradient at the incumbent proves, where the premise of the paper's theorem holds.

use corefed_core::linalg::{axpy, norm_l2};
use corefed_core::{
    PseudoCore, frank_wolfe_bound, frank_wolfe_gap, nash_coefficients, strong_convexity_bound,
};
use corefed_solve::Problem;

/// The gradient of log-welfare and the bounds on `kappa` that follow from it.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstOrder {
    /// `G = -sum_i (w_i/u_i) grad L_i`.
    pub gradient: Vec<f64>,
    /// `R |G| - <G, theta>`.
    pub gap: f64,
    /// `1 + gap / W` (ledger E6).
    pub frank_wolfe: f64,
    /// The quadratic bound (ledger E7); absent when no loss is strongly convex.
    pub strong_convexity: Option<f64>,
    /// Theorem 3 (ledger E9); convex losses do not curve utilities upwards.
    pub local: PseudoCore,
}

impl FirstOrder {
    /// Bounds at an incumbent whose utilities `now` are all positive. They hold only where
    /// utilities are non-negative on the ball (for `local`: on the smaller ball about the incumbent).
    #[must_use]
    pub fn at(problem: &Problem<'_>, incumbent: &[f64], now: &[f64]) -> Self {
        let dim = incumbent.len();
        let mut losses = vec![0.0; now.len()];
        let mut gradients = vec![0.0; now.len() * dim];
        problem.losses.gradients(incumbent, &problem.everybody(), &mut losses, &mut gradients);
        let pulls = nash_coefficients(now, &problem.weights);
        let mut gradient = vec![0.0; dim];
        for (pull, row) in pulls.iter().zip(gradients.chunks_exact(dim)) {
            axpy(-pull, row, &mut gradient);
        }
        let total = problem.weights.total();
        let gap = frank_wolfe_gap(&gradient, incumbent, problem.ball.radius());
        let modulus = problem.losses.strong_convexity();
        Self {
            gap,
            frank_wolfe: frank_wolfe_bound(gap, total).max(1.0),
            strong_convexity: (modulus > 0.0)
                .then(|| strong_convexity_bound(&gradient, modulus, pulls.iter().sum(), total)),
            local: PseudoCore {
                gradient_norm: norm_l2(&gradient),
                curvature: 0.0,
                total_weight: total,
            },
            gradient,
        }
    }
}
