//! One agent's signed answers as a document of their own, to be sent and merged.

use corefed_core::{Attestation, AttestedCertificate};
use serde::{Deserialize, Serialize};

use super::check::check_attested;
use super::keys::hexadecimal;
use super::layout::{Digest, terms_digest};
use crate::parse::{json, strictly};
use crate::{AttestedError, VerifyError};

/// Value of [`SignedAttestation::format`].
pub const SIGNED_FORMAT: &str = "corefed-attestation";
/// Value of [`SignedAttestation::version`]; documents of other versions are refused.
pub const SIGNED_VERSION: u32 = 1;

/// What one agent sends back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SignedAttestation {
    /// Always [`SIGNED_FORMAT`].
    pub format: String,
    /// Always [`SIGNED_VERSION`].
    pub version: u32,
    /// SHA-256 of the terms that it signed.
    pub terms: String,
    /// Who.
    pub agent: String,
    /// Its answers, with the digest of its rows and its signature.
    pub attestation: Attestation,
}

impl SignedAttestation {
    pub(crate) fn new(terms: &Digest, agent: &str, attestation: Attestation) -> Self {
        Self {
            format: SIGNED_FORMAT.to_owned(),
            version: SIGNED_VERSION,
            terms: hexadecimal(terms),
            agent: agent.to_owned(),
            attestation,
        }
    }
}

/// Reads an attestation.
pub fn parse_signed(text: &str) -> Result<SignedAttestation, VerifyError> {
    strictly(text, &json(text)?, SIGNED_FORMAT, SIGNED_VERSION)
}

/// Puts signed answers into a certificate. They must be about its terms and the answers it states, and the
/// signatures must fit; a later attestation of the same agent replaces an earlier one.
pub fn merge(
    mut certificate: AttestedCertificate,
    attestations: impl IntoIterator<Item = SignedAttestation>,
) -> Result<AttestedCertificate, VerifyError> {
    // Indices of points are checked before anything is signed or compared.
    check_attested(&certificate)?;
    let present = hexadecimal(&terms_digest(&certificate.terms));
    for SignedAttestation { terms, agent, attestation, .. } in attestations {
        let agents = &certificate.terms.agents;
        let Some(i) = agents.iter().position(|party| party.name == agent) else {
            let known = agents.iter().map(|party| party.name.clone()).collect();
            return Err(AttestedError::UnknownAgent { agent, known }.into());
        };
        if terms != present {
            return Err(AttestedError::OtherTerms { agent, attested: terms, present }.into());
        }
        let own = &mut certificate.attestations[i];
        let unsigned = |a: &Attestation| Attestation { rows: None, signature: None, ..a.clone() };
        if unsigned(own) != unsigned(&attestation) {
            return Err(AttestedError::OtherAnswers { agent }.into());
        }
        *own = attestation;
    }
    check_attested(&certificate)?;
    Ok(certificate)
}
