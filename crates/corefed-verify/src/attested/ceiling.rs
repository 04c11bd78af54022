//! The ceiling again, where one agent's rows are all that its policy asks for.

use crate::AttestedError;
use crate::enclosed::Enclosed;
use crate::loss::Reading;

/// How far a ceiling may be from what its policy gives, relatively: it was computed by other code, in another
/// order.
const ROUNDING: f64 = 1e-9;

/// What came of a ceiling.
pub(crate) enum Ceiling {
    /// It is what the policy gives on these rows.
    Recomputed,
    /// The policy needs more than these rows.
    NotKnown,
}

/// Recomputes `initial[:F]`, `F` times the loss of the zero predictor; other policies need a solver, or others'
/// rows.
pub(crate) fn check_ceiling(
    reading: &Reading<'_>,
    (name, ceiling, policy): (&str, f64, &str),
) -> Result<Ceiling, AttestedError> {
    let Some(factor) = initial(policy) else { return Ok(Ceiling::NotKnown) };
    let zero = vec![0.0; reading.predictor.parameters.len()];
    let actual = (Enclosed::exact(factor) * reading.loss(0, &zero)).value();
    if (actual - ceiling).abs() <= ROUNDING * actual.abs().max(ceiling.abs()) {
        return Ok(Ceiling::Recomputed);
    }
    let (agent, policy) = (name.to_owned(), policy.to_owned());
    Err(AttestedError::Ceiling { agent, policy, stated: ceiling, actual })
}

/// The factor of `initial` or `initial:F`.
fn initial(policy: &str) -> Option<f64> {
    match policy.strip_prefix("initial")? {
        "" => Some(1.0),
        factor => factor.strip_prefix(':')?.parse().ok().filter(|f: &f64| f.is_finite()),
    }
}
