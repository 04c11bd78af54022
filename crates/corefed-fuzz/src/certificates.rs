//! Certificates and what agents sign: documents that an auditor opens for a living.

use corefed_core::{Certificate, Subject, digest_numbers};
use corefed_verify::{AnyCertificate, check_files, merge, parse_any, parse_signed};

use crate::scratch;

/// Reads a certificate of any kind and checks it against itself and on rows. Digests are corrected, as a
/// forger would.
pub(crate) fn certificate(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let document = match parse_any(text) {
        Ok(document) => document,
        Err(error) => {
            let _ = (error.to_string(), error.hint());
            return;
        }
    };
    let nowhere: [&str; 0] = [];
    let _ = check_files(&document, &nowhere);
    let _ = check_files(&document, &[scratch::tiny()]);
    if let AnyCertificate::Core(certificate) = document {
        let forged = AnyCertificate::Core(Box::new(with_digests(*certificate)));
        let _ = check_files(&forged, &[scratch::tiny()]);
    }
}

fn with_digests(mut certificate: Certificate) -> Certificate {
    certificate.digests.parameters = match &certificate.subject {
        Subject::Predictor(predictor) => digest_numbers(&predictor.parameters),
        Subject::Table { .. } => {
            let row: Vec<f64> = certificate.agents.iter().map(|agent| agent.utility).collect();
            digest_numbers(&row)
        }
    };
    certificate.digests.data = corefed_core::digest_bytes(scratch::TINY.as_bytes());
    certificate
}

/// An input is a certificate, or one followed by a line of its own with `---` and an attestation.
pub(crate) fn attestation(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (certificate, attestation) = text.split_once("\n---\n").unwrap_or((text, text));
    let signed = parse_signed(attestation);
    let Ok(AnyCertificate::Attested(certificate)) = parse_any(certificate) else { return };
    if let Ok(signed) = signed {
        let _ = merge((*certificate).clone(), [signed]);
    }
    // Without signatures the arithmetic behind them is reached.
    let mut unsigned = *certificate;
    for attestation in &mut unsigned.attestations {
        (attestation.rows, attestation.signature) = (None, None);
    }
    let _ = check_files(&AnyCertificate::Attested(Box::new(unsigned)), &[scratch::tiny()]);
}
