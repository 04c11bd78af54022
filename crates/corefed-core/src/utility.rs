//! Utility: how far an agent's loss stays below its ceiling.

/// `u_i = M_i - L_i` for every agent (ledger E1).
///
/// ```
/// let utilities = corefed_core::utilities(&[1.0, 1.0], &[0.25, 1.5]);
/// assert_eq!(utilities, [0.75, -0.5]);
/// ```
#[must_use]
pub fn utilities(ceilings: &[f64], losses: &[f64]) -> Vec<f64> {
    ceilings.iter().zip(losses).map(|(ceiling, loss)| ceiling - loss).collect()
}
