//! Answers about a model of the agents' own: its agent computes them again by its own program, and signs.

use corefed_core::AttestedCertificate;

use super::agent::{check_key, index, sign};
use super::check::check_attested;
use super::keys::AgentKey;
use super::layout::{Digest, sha256};
use super::signed::SignedAttestation;
use super::terms::computable;
use crate::enclosed::Enclosed;
use crate::sum::norm;
use crate::{AttestedError, Checked, VerifyError};

/// What an agent's own program says, for it to sign.
#[derive(Clone, Copy, Debug)]
pub struct OwnAnswers<'a> {
    /// Its loss and gradient at the point of each of its leaves, in their order.
    pub computed: &'a [(f64, Vec<f64>)],
    /// How many samples it has.
    pub samples: usize,
    /// Bytes that stand for its rows: those of its file, say. Only their salted digest is told.
    pub data: &'a [u8],
}

/// Checks an agent's part of a certificate about a model of the agents' own against what its program says now,
/// and signs it. Everything else is checked as anybody can.
pub fn attest_own_model(
    certificate: &AttestedCertificate,
    agent: &str,
    own: OwnAnswers<'_>,
    key: &AgentKey,
) -> Result<(SignedAttestation, Checked), VerifyError> {
    if computable(certificate).is_ok() {
        return Err(AttestedError::KnownModel.into());
    }
    let i = index(certificate, agent)?;
    check_key(certificate, i, key)?;
    let mut checked = check_attested(certificate)?;
    let stated = &certificate.attestations[i];
    if stated.samples != own.samples {
        let (agent, stated, present) = (agent.to_owned(), stated.samples, own.samples);
        return Err(VerifyError::Samples { agent, stated, present });
    }
    let (expected, found) = (stated.leaves.len(), own.computed.len());
    if expected != found {
        let field = format!("answers of `{agent}`");
        return Err(VerifyError::Length { field, expected, found });
    }
    for (leaf, (actual, gradient)) in stated.leaves.iter().zip(own.computed) {
        let point = leaf.point;
        let needed = (Enclosed::exact(*actual) - Enclosed::exact(leaf.loss)).magnitude();
        if !(needed <= leaf.margin) {
            let (agent, stated, margin) = (agent.to_owned(), leaf.loss, leaf.margin);
            let actual = *actual;
            return Err(
                AttestedError::LeafLoss { agent, point, stated, margin, actual, needed }.into()
            );
        }
        let Some(stated) = &leaf.gradient else { continue };
        let same = gradient.len() == stated.values.len();
        let apart: Vec<Enclosed> = gradient
            .iter()
            .zip(&stated.values)
            .map(|(a, b)| Enclosed::exact(*a) - Enclosed::exact(*b))
            .collect();
        let needed = if same { norm(&apart).hi() } else { f64::INFINITY };
        if !(needed <= stated.margin) {
            let (agent, margin) = (agent.to_owned(), stated.margin);
            return Err(AttestedError::LeafGradient { agent, point, margin, needed }.into());
        }
    }
    checked.pass(format!("all {found} answers of `{agent}` are those of its own program"));
    Ok((sign(certificate, i, &rows_digest(key.salt(), own.data), key), checked))
}

/// SHA-256 of the salt and the bytes that stand for rows.
fn rows_digest(salt: &[u8; 32], data: &[u8]) -> Digest {
    sha256(&[salt.as_slice(), data].concat())
}
