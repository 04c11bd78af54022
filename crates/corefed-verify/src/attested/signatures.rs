//! Who signed: every signature that is there must be the agent's own, over exactly this document.

use corefed_core::AttestedCertificate;
use corefed_data::excerpt;

use super::keys::{bytes, digest, fits, public_key};
use super::layout::{message, terms_digest};
use crate::{AttestedError, VerifyError};

/// The agents of a certificate by what they did with it. Signatures are those of
/// [`check_attested`](super::check_attested), which refuses a document with a false one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signers {
    /// They signed their answers.
    pub signed: Vec<String>,
    /// They answered and have not signed.
    pub unsigned: Vec<String>,
    /// They did not answer.
    pub absent: Vec<String>,
}

impl Signers {
    /// Who signed, who has not, and who did not answer; names as they may be shown.
    #[must_use]
    pub fn shown(&self) -> [Vec<String>; 3] {
        [&self.signed, &self.unsigned, &self.absent]
            .map(|names| names.iter().map(|name| excerpt(name)).collect())
    }

    /// Sorts the agents of a certificate, in the order of its terms.
    #[must_use]
    pub fn of(certificate: &AttestedCertificate) -> Self {
        let mut signers = Self::default();
        for (party, own) in certificate.terms.agents.iter().zip(&certificate.attestations) {
            let list = match (&own.signature, own.leaves.is_empty()) {
                (Some(_), _) => &mut signers.signed,
                (None, false) => &mut signers.unsigned,
                (None, true) => &mut signers.absent,
            };
            list.push(party.name.clone());
        }
        signers
    }

    /// `attested` by all who answered, `partly attested`, or only `consistent` with itself.
    #[must_use]
    pub fn status(&self) -> &'static str {
        match (self.signed.is_empty(), self.unsigned.is_empty()) {
            (true, _) => "consistent",
            (false, false) => "partly attested",
            (false, true) => "attested",
        }
    }
}

/// Checks every signature (ledger E87). Indices of points must have been checked.
pub(crate) fn check_signatures(certificate: &AttestedCertificate) -> Result<(), VerifyError> {
    let terms = terms_digest(&certificate.terms);
    for (party, own) in certificate.terms.agents.iter().zip(&certificate.attestations) {
        let agent = || party.name.clone();
        let refuse = |problem| Err(AttestedError::Signature { agent: agent(), problem }.into());
        let (rows, signature) = match (&own.rows, &own.signature) {
            (None, None) => continue,
            (Some(_), None) => return refuse("is missing, though a digest of its rows is stated"),
            (None, Some(_)) => return refuse("comes without a digest of its rows"),
            (Some(rows), Some(signature)) => (rows, signature),
        };
        let Some(key) = party.key.as_deref().and_then(public_key) else {
            return refuse("cannot be checked: the terms give it no key");
        };
        let Some(rows) = digest(rows) else {
            let (field, text) = ("attestations[].rows", rows.clone());
            return Err(VerifyError::MalformedDigest { field, text });
        };
        let Some(signature) = bytes(signature) else {
            return refuse("is not one of 128 lower-case hexadecimal digits");
        };
        let signed = message(&terms, &party.name, &rows, own, &certificate.points);
        if fits(&key, &signed, &signature) {
            continue;
        }
        let signer = certificate.terms.agents.iter().find(|other| {
            let key = other.key.as_deref().and_then(public_key);
            key.is_some_and(|key| fits(&key, &signed, &signature))
        });
        return Err(match signer {
            Some(signer) => AttestedError::Foreign { agent: agent(), signer: signer.name.clone() },
            None => AttestedError::Forged { agent: agent() },
        }
        .into());
    }
    Ok(())
}
