//! The full check of a certificate about a predictor, on the data it speaks of.

use corefed_core::{Certificate, Evidence, Rival, Subject};
use corefed_data::Federation;

use crate::conflict::check_bounds;
use crate::document::check_consistency;
use crate::evidence::check_something_to_lose;
use crate::first_order::check_first_order;
use crate::headroom::check_headroom;
use crate::loss::Reading;
use crate::witness::check_deviation;
use crate::worst_loss::check_worst_losses;
use crate::{Checked, VerifyError};

/// How well stated utilities must agree with recomputed ones, relative to one plus their size.
const UTILITY_TOLERANCE: f64 = 1e-9;

/// Checks a certificate against itself and against data: everything it states is recomputed.
///
/// `federation` is the data encoded by the certificate's own encoding, `data_digest` the digest of
/// the file it came from. Cost: one pass over an agent's rows for every agent, and for every agent
/// of every conflict.
pub fn check_on_data(
    certificate: &Certificate,
    federation: &Federation,
    data_digest: &str,
) -> Result<Checked, VerifyError> {
    let mut checked = check_consistency(certificate)?;
    let Subject::Predictor(predictor) = &certificate.subject else {
        let field = "subject".to_owned();
        return Err(VerifyError::Misplaced { field, about: "rows of data" });
    };
    if certificate.digests.data != data_digest {
        let (stated, present) = (certificate.digests.data.clone(), data_digest.to_owned());
        return Err(VerifyError::Stale { stated, present });
    }
    checked.pass("the data is the file the certificate was issued for");
    check_owners(certificate, federation)?;
    checked.pass("agents and their numbers of samples are those of the data");
    let reading = Reading::new(predictor, federation)?;
    let utilities = utilities(certificate, &reading, &predictor.parameters);
    for (agent, &recomputed) in certificate.agents.iter().zip(&utilities) {
        let stated = agent.utility;
        if !((stated - recomputed).abs() <= UTILITY_TOLERANCE * (1.0 + recomputed.abs())) {
            let agent = agent.name.clone();
            return Err(VerifyError::ForgedUtility { agent, stated, recomputed });
        }
    }
    checked.pass("utilities follow from the data");
    if let Some(witness) = &certificate.witness
        && let Rival::Parameters(rival) = &witness.rival
    {
        let then = self::utilities(certificate, &reading, rival);
        check_deviation(certificate, witness, &utilities, &then)?;
        checked.pass("every member of the coalition would leave for the rival");
    }
    check_proof(certificate, &reading, &utilities, &mut checked)?;
    checked.skip("weights and ceilings are choices: the claim holds for those stated");
    Ok(checked)
}

fn check_owners(certificate: &Certificate, federation: &Federation) -> Result<(), VerifyError> {
    let (stated, present) = (&certificate.agents, federation.agents());
    if stated.len() != present.len() {
        let field = "agents".to_owned();
        let (expected, found) = (present.len(), stated.len());
        return Err(VerifyError::Length { field, expected, found });
    }
    for (i, (stated, present)) in stated.iter().zip(present).enumerate() {
        if stated.name != present.name {
            let (stated, present) = (stated.name.clone(), present.name.clone());
            return Err(VerifyError::AgentName { agent: i, stated, present });
        }
        if stated.samples != present.samples() {
            let (agent, stated) = (stated.name.clone(), stated.samples);
            return Err(VerifyError::Samples { agent, stated, present: present.samples() });
        }
    }
    Ok(())
}

/// `u_i = M_i - L_i` at some parameters.
fn utilities(certificate: &Certificate, reading: &Reading<'_>, params: &[f64]) -> Vec<f64> {
    let losses = reading.losses(params);
    let pairs = certificate.agents.iter().zip(losses);
    pairs.map(|(agent, loss)| agent.ceiling.unwrap_or(f64::NAN) - loss).collect()
}

/// The evidence with every number in it derived from the data.
fn check_proof(
    certificate: &Certificate,
    reading: &Reading<'_>,
    utilities: &[f64],
    checked: &mut Checked,
) -> Result<(), VerifyError> {
    check_something_to_lose(certificate, utilities)?;
    match &certificate.evidence {
        Evidence::FrankWolfe { gradient, worst_losses, .. } => {
            check_worst_losses(certificate, reading, worst_losses)?;
            checked.pass("utilities are nowhere negative on the ball");
            check_first_order(certificate, reading, utilities, gradient)?;
            checked.pass("the gradient of log-welfare follows from the data");
        }
        Evidence::Conflicts { conflicts } => {
            check_bounds(certificate, reading, utilities, conflicts)?;
            checked.pass("the bound of every conflict follows from the data");
        }
        Evidence::Headroom => check_headroom(certificate, utilities)?,
        Evidence::Listed | Evidence::Unbounded => {}
    }
    Ok(())
}
