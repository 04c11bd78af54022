//! The bound of a conflict again, by the tangent of a concave function.

use corefed_core::{Certificate, Conflict};

use crate::VerifyError;
use crate::loss::Reading;
use crate::sum::{Sum, dot, norm, sum};

/// Slack for rounding, relative to one plus the bound.
const SLACK: f64 = 1e-9;

/// Recomputes what every conflict proves (ledger E10); `utilities` are recomputed and positive.
///
/// The mean gain `sum_i p_i u_i(x)/u_i(theta)` is concave in `x`, so its tangent at any point, in
/// the ball or not, lies above it. The tangent's maximum over the ball is
/// `sum_i p_i u_i(point)/u_i(theta) + <g, point> + R |g|` with `g = sum_i p_i/u_i(theta) grad L_i(point)`.
pub(crate) fn check_bounds(
    certificate: &Certificate,
    reading: &Reading<'_>,
    utilities: &[f64],
    conflicts: &[Conflict],
) -> Result<(), VerifyError> {
    for (k, conflict) in conflicts.iter().enumerate() {
        let point = &conflict.point;
        let mass = sum(conflict.multipliers.iter().copied());
        let mut mean = Sum::default();
        let mut slope = vec![0.0; point.len()];
        for (&i, multiplier) in conflict.agents.iter().zip(&conflict.multipliers) {
            let (loss, gradient) = reading.loss_and_gradient(i, point);
            let ceiling = certificate.agents[i].ceiling.unwrap_or(f64::NAN);
            // Divided by their sum the multipliers are a mean, however they were rounded.
            let lambda = multiplier / mass / utilities[i];
            mean.add(lambda * (ceiling - loss));
            for (entry, g) in slope.iter_mut().zip(&gradient) {
                *entry += lambda * g;
            }
        }
        let recomputed =
            mean.value() + dot(&slope, point) + reading.predictor.radius * norm(&slope);
        if !(recomputed <= conflict.bound + SLACK * (1.0 + conflict.bound.abs())) {
            let stated = conflict.bound;
            return Err(VerifyError::ForgedBound { conflict: k, stated, recomputed });
        }
    }
    Ok(())
}
