//! The Frank-Wolfe bound again, from the gradients of every agent's rows.

use corefed_core::Certificate;

use crate::VerifyError;
use crate::agents::total_weight;
use crate::evidence::SLACK;
use crate::loss::Reading;
use crate::sum::{dot, norm};

/// Rounding of a sum over rows, relative to its terms.
const ROUNDING: f64 = 1e-11;
/// More than this is never put down to rounding, however large the terms.
const MOST_ROUNDING: f64 = 1e-7;

/// Recomputes `G = -sum_i (w_i/u_i) grad L_i`, and from it the bound `1 + (R |G| - <G, theta>)/W`
/// (ledger E6). `utilities` are recomputed and positive.
pub(crate) fn check_first_order(
    certificate: &Certificate,
    reading: &Reading<'_>,
    utilities: &[f64],
    stated: &[f64],
) -> Result<(), VerifyError> {
    let (params, radius) = (&reading.predictor.parameters, reading.predictor.radius);
    let mut gradient = vec![0.0; params.len()];
    // Near the optimum the agents' pulls cancel; what is left is known relative to the pulls.
    let mut pulls = 0.0;
    for (i, agent) in certificate.agents.iter().enumerate() {
        let pull = agent.weight / utilities[i];
        let of_loss = reading.loss_and_gradient(i, params).1;
        pulls += pull * norm(&of_loss);
        for (entry, slope) in gradient.iter_mut().zip(&of_loss) {
            *entry -= pull * slope;
        }
    }
    for (entry, (&stated, &recomputed)) in stated.iter().zip(&gradient).enumerate() {
        if !((stated - recomputed).abs() <= 1e-9 * (1.0 + pulls)) {
            return Err(VerifyError::ForgedGradient { entry, stated, recomputed });
        }
    }
    let total = total_weight(&certificate.agents);
    let gap = radius * norm(&gradient) - dot(&gradient, params);
    let (claimed, supported) = (certificate.claim.kappa.hi.0, 1.0 + gap / total);
    let rounding = (ROUNDING * radius * pulls / total).min(MOST_ROUNDING);
    if !(supported <= claimed * (1.0 + SLACK) + rounding) {
        return Err(VerifyError::Overclaimed { claimed, supported });
    }
    Ok(())
}
