//! Theorem 3: stability against rivals nearby, for smooth utilities.

/// What Theorem 3 needs to know about an incumbent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PseudoCore {
    /// `e = |G|`, the norm of the gradient of log-welfare.
    pub gradient_norm: f64,
    /// `B = sum_i w_i beta_i / u_i`, where utility `i` curves upwards by at most `beta_i`
    /// (zero for convex losses).
    pub curvature: f64,
    /// `W`, the sum of all weights.
    pub total_weight: f64,
}

impl PseudoCore {
    /// The distance `d` within which no coalition gains more than `factor` (ledger E9).
    ///
    /// `d = 2 (k-1) W / (e + sqrt(e^2 + 2 B (k-1) W))`: the paper's formula without its
    /// cancellation. Needs `factor >= 1` and utilities that are not negative on that ball.
    #[must_use]
    pub fn radius(&self, factor: f64) -> f64 {
        let slack = (factor - 1.0) * self.total_weight;
        let root = (self.gradient_norm.powi(2) + 2.0 * self.curvature * slack).sqrt();
        2.0 * slack / (self.gradient_norm + root)
    }

    /// The factor `k(d) = 1 + (e d + B d^2 / 2) / W`, inverse of [`PseudoCore::radius`]
    /// (ledger E9).
    #[must_use]
    pub fn factor(&self, radius: f64) -> f64 {
        let rise = self.gradient_norm * radius + 0.5 * self.curvature * radius.powi(2);
        1.0 + rise / self.total_weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_stable_form_equals_the_quadratic_formula() {
        // e = 3, B = 8, W = 2, k = 2.25: 4 d^2 + 3 d - 2.5 = 0 has the root d = 1/2.
        let local = PseudoCore { gradient_norm: 3.0, curvature: 8.0, total_weight: 2.0 };
        assert!((local.radius(2.25) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn a_tiny_curvature_does_not_cancel() {
        // The textbook root (-e + sqrt(e^2 + 2Bs))/B is 0 or noise here; the limit is s / e.
        let local = PseudoCore { gradient_norm: 1.0, curvature: 1e-18, total_weight: 1.0 };
        assert!((local.radius(1.5) - 0.5).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn radius_and_factor_are_inverse(
            gradient_norm in 1e-6..1e3_f64,
            curvature in 0.0..1e3_f64,
            total_weight in 0.1..100.0_f64,
            factor in 1.001..10.0_f64,
        ) {
            let local = PseudoCore { gradient_norm, curvature, total_weight };
            let back = local.factor(local.radius(factor));
            prop_assert!((back - factor).abs() < 1e-9 * factor, "{back} != {factor}");
        }
    }
}
