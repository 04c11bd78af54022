//! What an agent declares about its own rows, so that ceilings follow by a policy.

use corefed_core::{AttestedCertificate, Party, Predictor};
use corefed_data::Federation;
use corefed_model::{
    FederationLosses, constant_losses, convex_losses, target_summaries, worst_losses,
};
use corefed_solve::{Ball, own_models};
use corefed_spec::Ceiling;
use corefed_verify::{AttestedError, VerifyError};

/// How far a ceiling may be from what its policy gives, relatively: sums differ by their order.
const ROUNDING: f64 = 1e-9;

/// The loss of an agent that a policy multiplies, where its own rows give it: under its best constant, under its
/// own model, or at worst. `None` for policies that need others, or nothing.
fn own_reference(policy: &Ceiling, predictor: &Predictor, own: &Federation) -> Option<f64> {
    let Predictor { family, radius, l2, encoding, .. } = predictor;
    let classes = encoding.classes.len();
    match policy {
        Ceiling::Constant(_) => Some(constant_losses(own, *family, classes)[0]),
        Ceiling::Alone(_) => {
            let losses = convex_losses(own, *family, classes, *l2);
            let alone = own_models(&*losses, &Ball::about_zero(losses.dim(), *radius));
            Some(alone[0].losses[0])
        }
        Ceiling::Worst => {
            let model = FederationLosses::new(own, *family, classes, *l2);
            Some(worst_losses(&model, *radius)[0].bound)
        }
        _ => None,
    }
}

/// The ceiling of an agent by a policy that its own rows decide.
#[must_use]
pub(crate) fn declared_ceiling(
    policy: &str,
    predictor: &Predictor,
    own: &Federation,
) -> Option<f64> {
    let policy: Ceiling = policy.parse().ok()?;
    let factor = match policy {
        Ceiling::Constant(factor) | Ceiling::Alone(factor) => factor,
        _ => 1.0,
    };
    Some(factor * own_reference(&policy, predictor, own)?)
}

/// What an agent tells for a policy before ceilings are settled: one loss, or what the best common constant
/// depends on. `None` where nothing need be told.
#[must_use]
pub(crate) fn declaration(
    policy: &Ceiling,
    predictor: &Predictor,
    own: &Federation,
) -> Option<Vec<f64>> {
    match policy {
        Ceiling::PooledConstant(_) | Ceiling::Baseline(_) => {
            let classes = predictor.encoding.classes.len();
            Some(target_summaries(own, predictor.family, classes)[0].numbers())
        }
        _ => Some(vec![own_reference(policy, predictor, own)?]),
    }
}

/// Checks the ceiling of an agent in a certificate where its policy asks for nothing but its own rows, and says
/// whether it does. An agent does this before it signs: a coordinator may have written another.
pub(crate) fn check_declared(
    certificate: &AttestedCertificate,
    agent: &str,
    own: &Federation,
) -> Result<bool, VerifyError> {
    let party = certificate.terms.agents.iter().find(|party| party.name == agent);
    let (Some(party), Some(predictor)) = (party, certificate.terms.predictor.known()) else {
        return Ok(false);
    };
    let Some(actual) = declared_ceiling(&party.policy, predictor, own) else { return Ok(false) };
    check_ceiling(party, actual)?;
    Ok(true)
}

/// Checks that a ceiling is what its policy gives.
pub fn check_ceiling(party: &Party, actual: f64) -> Result<(), VerifyError> {
    let stated = party.ceiling;
    if (actual - stated).abs() <= ROUNDING * actual.abs().max(stated.abs()) {
        return Ok(());
    }
    let (agent, policy) = (party.name.clone(), party.policy.clone());
    Err(AttestedError::Ceiling { agent, policy, stated, actual }.into())
}
