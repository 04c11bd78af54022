//! One agent's answers on its own rows, and its signature.

use corefed_core::AttestedCertificate;
use corefed_data::Federation;

use super::agent::{check_key, index, sign};
use super::ceiling::{Ceiling, check_ceiling};
use super::check::check_attested;
use super::keys::AgentKey;
use super::layout::{Digest, sha256};
use super::signed::SignedAttestation;
use super::terms::computable;
use crate::eft::{add_up, two_sum};
use crate::enclosed::Enclosed;
use crate::loss::Reading;
use crate::place::Place;
use crate::sum::{Sum, norm};
use crate::worst_loss::least_proven;
use crate::{AttestedError, Checked, VerifyError};

/// Checks what an agent stands for on its own rows, with the checker's arithmetic (ledger E88): every loss
/// and gradient within its margin, the number of samples, the worst loss, and the ceiling where its policy asks
/// for nothing but these rows. `rows` are encoded by the terms' predictor and belong to this agent alone.
///
/// Passes nothing on about others: that is [`check_attested`], which comes first.
pub fn check_own_rows(
    certificate: &AttestedCertificate,
    agent: &str,
    rows: &Federation,
) -> Result<Checked, VerifyError> {
    let predictor = computable(certificate)?;
    let mut checked = check_attested(certificate)?;
    let i = index(certificate, agent)?;
    let (party, own) = (&certificate.terms.agents[i], &certificate.attestations[i]);
    let present = match rows.agents() {
        [present] if present.name == agent => present,
        others => {
            let found = others.iter().map(|agent| agent.name.clone()).collect();
            return Err(AttestedError::OtherRows { found }.into());
        }
    };
    if own.leaves.is_empty() {
        let problem = "did not answer, so there is nothing to check";
        return Err(AttestedError::Presence { agent: agent.to_owned(), problem }.into());
    }
    if own.samples != present.samples() {
        let (stated, present) = (own.samples, present.samples());
        return Err(VerifyError::Samples { agent: agent.to_owned(), stated, present });
    }
    let reading = Reading::new(predictor, rows)?;
    check_answers(certificate, i, &reading)?;
    checked.pass(format!("all {} answers of `{agent}` are those of its rows", own.leaves.len()));
    if let Some(stated) = own.worst_loss {
        let proven = least_proven(&reading, stated);
        if !(proven <= stated) {
            return Err(VerifyError::Worst { agent: agent.to_owned(), stated, proven });
        }
        checked.pass(format!("`{agent}` nowhere loses more than it says"));
    }
    match check_ceiling(&reading, (agent, party.ceiling, &party.policy))? {
        Ceiling::Recomputed => {
            checked.pass(format!("the ceiling of `{agent}` is `{}`", party.policy));
        }
        Ceiling::NotKnown => checked.skip(format!(
            "the ceiling of `{agent}`, `{}`: this checker does not compute it",
            party.policy
        )),
    }
    Ok(checked)
}

/// Checks an agent's part of a certificate on its own rows and signs it.
pub fn attest(
    certificate: &AttestedCertificate,
    agent: &str,
    rows: &Federation,
    key: &AgentKey,
) -> Result<(SignedAttestation, Checked), VerifyError> {
    let i = index(certificate, agent)?;
    check_key(certificate, i, key)?;
    let checked = check_own_rows(certificate, agent, rows)?;
    Ok((sign(certificate, i, &rows_digest(key.salt(), rows), key), checked))
}

fn check_answers(
    certificate: &AttestedCertificate,
    i: usize,
    reading: &Reading<'_>,
) -> Result<(), AttestedError> {
    for leaf in &certificate.attestations[i].leaves {
        let agent = || certificate.terms.agents[i].name.clone();
        let point = leaf.point;
        let place = Place::from(certificate.points[point].as_slice());
        let (loss, gradient) = reading.loss_and_gradient(0, place);
        let (apart, lost) = two_sum(loss.value(), -leaf.loss);
        let needed = add_up(add_up(apart.abs(), lost.abs()), loss.error());
        if !(needed <= leaf.margin) {
            let (stated, margin, actual) = (leaf.loss, leaf.margin, loss.value());
            let agent = agent();
            return Err(AttestedError::LeafLoss { agent, point, stated, margin, actual, needed });
        }
        let Some(stated) = &leaf.gradient else { continue };
        let off: Vec<Enclosed> = gradient
            .into_iter()
            .zip(&stated.values)
            .map(|(mut exact, stated)| {
                exact.add(-*stated);
                Sum::total(exact)
            })
            .collect();
        let needed = norm(&off).hi();
        if !(needed <= stated.margin) {
            let (agent, margin) = (agent(), stated.margin);
            return Err(AttestedError::LeafGradient { agent, point, margin, needed });
        }
    }
    Ok(())
}

/// SHA-256 of the salt and of all encoded rows (ledger E88): for every row its features in the order of the
/// encoding, its target, weight and exposure, as the bits of doubles, little-endian. The salt keeps others from
/// guessing rows.
fn rows_digest(salt: &[u8; 32], rows: &Federation) -> Digest {
    let (design, target) = (rows.design(), rows.target());
    let mut bytes = salt.to_vec();
    let mut row = vec![0.0; design.dim()];
    for (k, target) in target.iter().enumerate() {
        row.fill(0.0);
        let dense = design.dense_rows(k..k + 1);
        row[..dense.len()].copy_from_slice(dense);
        for &column in design.hot_rows(k..k + 1) {
            row[column as usize] = 1.0;
        }
        let weight = rows.row_weights(k..k + 1).first().map_or(1.0, |weight| *weight);
        let exposure = rows.exposure(k..k + 1).first().map_or(1.0, |exposure| *exposure);
        for value in row.iter().chain([target, &weight, &exposure]) {
            bytes.extend(value.to_le_bytes());
        }
    }
    sha256(&bytes)
}
