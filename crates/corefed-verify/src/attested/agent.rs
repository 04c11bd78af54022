//! One agent of a certificate: where it stands, whether a key is its own, and its signature.

use corefed_core::AttestedCertificate;

use super::keys::{AgentKey, hexadecimal};
use super::layout::{Digest, message, terms_digest};
use super::signed::SignedAttestation;
use crate::AttestedError;

/// Checks that the terms give an agent this key.
pub(super) fn check_key(
    certificate: &AttestedCertificate,
    agent: usize,
    key: &AgentKey,
) -> Result<(), AttestedError> {
    let party = &certificate.terms.agents[agent];
    let own = key.public();
    if party.key.as_ref() == Some(&own) {
        return Ok(());
    }
    let agreed = party.key.clone().unwrap_or_else(|| "none".to_owned());
    Err(AttestedError::OtherKey { agent: party.name.clone(), agreed, own })
}

/// An agent's answers as they are stated, with a digest of what they are about, signed.
pub(super) fn sign(
    certificate: &AttestedCertificate,
    agent: usize,
    rows: &Digest,
    key: &AgentKey,
) -> SignedAttestation {
    let (terms, name) = (terms_digest(&certificate.terms), &certificate.terms.agents[agent].name);
    let mut own = certificate.attestations[agent].clone();
    let signature = key.sign(&message(&terms, name, rows, &own, &certificate.points));
    (own.rows, own.signature) = (Some(hexadecimal(rows)), Some(signature));
    SignedAttestation::new(&terms, name, own)
}

/// Where an agent stands in the terms.
pub(super) fn index(
    certificate: &AttestedCertificate,
    agent: &str,
) -> Result<usize, AttestedError> {
    let agents = &certificate.terms.agents;
    agents.iter().position(|party| party.name == agent).ok_or_else(|| {
        let known = agents.iter().map(|party| party.name.clone()).collect();
        AttestedError::UnknownAgent { agent: agent.to_owned(), known }
    })
}
