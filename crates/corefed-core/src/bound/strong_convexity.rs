//! A quadratic bound when every loss is strongly convex.

use crate::linalg::dot;

/// `kappa <= 1 + |G|^2 / (2 W mu sum_i w_i/u_i)` (ledger E7).
///
/// `gradient` is `G`, the gradient of log-welfare; `pull` is `sum_i w_i / u_i`. Needs losses that
/// are `mu`-strongly convex and utilities that are not negative on the set of rivals.
#[must_use]
pub fn strong_convexity_bound(gradient: &[f64], modulus: f64, pull: f64, total_weight: f64) -> f64 {
    1.0 + dot(gradient, gradient) / (2.0 * total_weight * modulus * pull)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_attained_by_one_parabola() {
        // One agent, L = t^2 (mu = 2), M = 4, theta = 1: u = 3, G = -2/3, and the best rival t = 0
        // has gain 4/3. The bound: 1 + (4/9) / (2 * 2 * (1/3)) = 4/3.
        let bound = strong_convexity_bound(&[-2.0 / 3.0], 2.0, 1.0 / 3.0, 1.0);
        assert!((bound - 4.0 / 3.0).abs() < 1e-15);
    }
}
