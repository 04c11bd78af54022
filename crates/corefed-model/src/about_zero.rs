//! Least squares as a quadratic about zero: `X'X`, `X'y` and `y'y`.

use corefed_core::Family;
use corefed_data::Federation;

use crate::{ConvexLosses, FederationLosses, Quadratic};

/// Every agent's squared loss with ridge `l2` as a quadratic about zero: `A = X'X/m + (l2/2) I`,
/// `b = X'y/m`, `c = y'y/m`.
///
/// For what depends on the whole ball; near the fit of a federation whose targets have an offset,
/// these coefficients cancel (see [`crate::QuadraticLosses::from_least_squares`]).
#[must_use]
pub fn least_squares_about_zero(federation: &Federation, l2: f64) -> Vec<Quadratic> {
    let losses = FederationLosses::new(federation, Family::Linear, 0, 0.0);
    let dim = losses.dim();
    let zero = vec![0.0; dim];
    let compress = |agent| {
        let mut constant = [0.0];
        let mut linear = vec![0.0; dim];
        losses.gradients(&zero, &[agent], &mut constant, &mut linear);
        for slope in &mut linear {
            *slope *= -0.5;
        }
        let mut matrix = vec![0.0; dim * dim];
        losses.add_hessian(&zero, &[agent], &[0.5], &mut matrix);
        for i in 0..dim {
            matrix[i * dim + i] += 0.5 * l2;
            for j in 0..i {
                matrix[j * dim + i] = matrix[i * dim + j];
            }
        }
        Quadratic { matrix, linear, constant: constant[0] }
    };
    (0..losses.agents()).map(compress).collect()
}
