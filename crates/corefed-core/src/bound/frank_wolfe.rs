//! The Frank-Wolfe certificate: one gradient bounds every coalition and every rival.

use crate::linalg::{dot, norm_l2};

/// `g = max { <G, x - theta> : |x| <= R } = R |G| - <G, theta>` (ledger E6), where `G` is the
/// gradient of log-welfare at `params`.
#[must_use]
pub fn frank_wolfe_gap(gradient: &[f64], params: &[f64], radius: f64) -> f64 {
    radius * norm_l2(gradient) - dot(gradient, params)
}

/// `kappa <= 1 + g / W` (ledger E6).
///
/// Needs concave utilities that are not negative anywhere on the ball: then
/// `sum_i w_i u_i(x)/u_i(theta) <= W + <G, x - theta>`, and a coalition's share of its smallest
/// gain is at most the weighted mean of all gains.
#[must_use]
pub fn frank_wolfe_bound(gap: f64, total_weight: f64) -> f64 {
    // The model is its own rival, so kappa is at least one; rounding may leave the gap below zero.
    1.0 + gap.max(0.0) / total_weight
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_is_the_best_linear_gain_over_the_ball() {
        // G = (3, 4), R = 2: the maximiser is 2 (0.6, 0.8) and <G, x> = 10; <G, theta> = 3.
        let gap = frank_wolfe_gap(&[3.0, 4.0], &[1.0, 0.0], 2.0);
        assert!((gap - 7.0).abs() < 1e-14);
        assert!((frank_wolfe_bound(gap, 2.0) - 4.5).abs() < 1e-14);
    }

    #[test]
    fn the_gap_vanishes_where_the_gradient_leaves_the_ball() {
        let gap = frank_wolfe_gap(&[0.6, 0.8], &[3.0, 4.0], 5.0);
        assert!(gap.abs() < 1e-15);
    }
}
