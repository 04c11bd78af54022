//! Headroom: no rival gives an agent more than its ceiling.

use corefed_core::Certificate;

use crate::VerifyError;
use crate::evidence::SLACK;
use crate::sum::Sum;

/// Checks `kappa.hi` against `max_k (W_k/W) (M_i/u_i)_(k)` (ledger E8), for positive utilities.
pub(crate) fn check_headroom(
    certificate: &Certificate,
    utilities: &[f64],
) -> Result<(), VerifyError> {
    let mut gains: Vec<(f64, f64)> = certificate
        .agents
        .iter()
        .zip(utilities)
        .map(|(agent, u)| (agent.ceiling.unwrap_or(f64::INFINITY) / u, agent.weight))
        .collect();
    gains.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    // Breaking off before the end of a tie only gives smaller products.
    let (mut weight, mut most) = (Sum::default(), 0.0_f64);
    for (gain, w) in &gains {
        weight.add(*w);
        most = most.max(weight.value() * gain);
    }
    let supported = most / weight.value();
    let claimed = certificate.claim.kappa.hi.0;
    if !(supported <= claimed * (1.0 + SLACK)) {
        return Err(VerifyError::Overclaimed { claimed, supported });
    }
    Ok(())
}
