//! Log-welfare, the objective of CoreFed, and the weights its gradient gives to agents.

use crate::Weights;

/// `F = sum_i w_i log u_i` (ledger E2), minus infinity when some utility is not positive.
///
/// ```
/// use corefed_core::{Weights, log_welfare};
/// // log 2 + log 8 = log 16
/// let welfare = log_welfare(&[2.0, 8.0], &Weights::equal(2));
/// assert!((welfare - 16_f64.ln()).abs() < 1e-15);
/// ```
#[must_use]
pub fn log_welfare(utilities: &[f64], weights: &Weights) -> f64 {
    let term = |(u, w): (&f64, &f64)| if *u > 0.0 { w * u.ln() } else { f64::NEG_INFINITY };
    utilities.iter().zip(weights.values()).map(term).sum()
}

/// `w_i / u_i`: how hard each agent's loss gradient pulls on `-F` (ledger E2).
///
/// Utilities must be positive: the solvers never leave that region.
#[must_use]
pub fn nash_coefficients(utilities: &[f64], weights: &Weights) -> Vec<f64> {
    utilities.iter().zip(weights.values()).map(|(u, w)| w / u).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_non_positive_utility_makes_log_welfare_minus_infinity() {
        let weights = Weights::equal(2);
        assert_eq!(log_welfare(&[1.0, 0.0], &weights), f64::NEG_INFINITY);
        assert_eq!(log_welfare(&[1.0, -1.0], &weights), f64::NEG_INFINITY);
    }

    #[test]
    fn nash_coefficients_are_the_derivatives_of_log_welfare() {
        let weights = Weights::new(vec![1.0, 3.0]).unwrap();
        let (u, h) = ([0.5, 2.0], 1e-6);
        let coefficients = nash_coefficients(&u, &weights);
        for agent in 0..2 {
            let shifted = |by: f64| {
                let mut moved = u;
                moved[agent] += by;
                log_welfare(&moved, &weights)
            };
            let slope = (shifted(h) - shifted(-h)) / (2.0 * h);
            assert!((slope - coefficients[agent]).abs() < 1e-8, "{slope}");
        }
    }

    #[test]
    fn rescaling_one_agents_utility_shifts_welfare_by_a_constant() {
        let weights = Weights::new(vec![1.0, 2.0]).unwrap();
        let shift =
            |u: [f64; 2]| log_welfare(&[u[0], 10.0 * u[1]], &weights) - log_welfare(&u, &weights);
        assert!((shift([1.0, 2.0]) - shift([0.3, 7.0])).abs() < 1e-12);
    }
}
