//! What can be checked without data: whether a certificate agrees with itself.

use corefed_core::{CERTIFICATE_FORMAT, CERTIFICATE_VERSION, Certificate, Subject, digest_numbers};

use crate::agents::check_agents;
use crate::claim::check_claim;
use crate::evidence::check_evidence;
use crate::predictor::check_predictor;
use crate::witness::check_witnesses;
use crate::{Checked, VerifyError};

/// Checks a certificate against itself.
///
/// What passes is consistent: the verdict follows from the interval, the interval from the stated
/// numbers. Whether those numbers are true of any data is left to [`crate::check_on_data`] and
/// [`crate::check_table`].
pub fn check_document(certificate: &Certificate) -> Result<Checked, VerifyError> {
    let mut checked = check_consistency(certificate)?;
    checked.skip("stated utilities, gains and bounds were not recomputed: no data was given");
    Ok(checked)
}

/// The same, for a caller that continues with the data.
pub(crate) fn check_consistency(certificate: &Certificate) -> Result<Checked, VerifyError> {
    let mut checked = Checked::default();
    if certificate.format != CERTIFICATE_FORMAT {
        return Err(VerifyError::Format { found: Some(certificate.format.clone()) });
    }
    if certificate.version != CERTIFICATE_VERSION {
        let found = certificate.version.to_string();
        return Err(VerifyError::Version { found, supported: CERTIFICATE_VERSION });
    }
    check_claim(certificate)?;
    checked.pass("the verdict follows from the intervals and the tolerance");
    check_agents(certificate)?;
    checked.pass("agents have distinct names, positive weights and finite utilities");
    if let Subject::Predictor(predictor) = &certificate.subject {
        check_predictor(predictor, "subject")?;
        checked.pass("parameters have the shape of the model and lie in the ball");
    }
    check_digests(certificate)?;
    checked.pass("parameters are those the certificate was issued for");
    check_witnesses(certificate, &mut checked)?;
    check_evidence(certificate, &mut checked)?;
    for assumption in &certificate.assumptions {
        checked.skip(format!(
            "assumption as worded and marked `{}`: {}",
            assumption.status, assumption.statement
        ));
    }
    Ok(checked)
}

/// Whether a text can be a SHA-256: lower-case hexadecimal.
pub(crate) fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn check_digests(certificate: &Certificate) -> Result<(), VerifyError> {
    let digests = &certificate.digests;
    for (field, text) in
        [("digests.data", &digests.data), ("digests.parameters", &digests.parameters)]
    {
        if !is_digest(text) {
            return Err(VerifyError::MalformedDigest { field, text: text.clone() });
        }
    }
    let recomputed = match &certificate.subject {
        Subject::Predictor(predictor) => digest_numbers(&predictor.parameters),
        Subject::Table { .. } => {
            let row: Vec<f64> = certificate.agents.iter().map(|agent| agent.utility).collect();
            digest_numbers(&row)
        }
    };
    if recomputed != digests.parameters {
        let stated = digests.parameters.clone();
        return Err(VerifyError::ParametersChanged { stated, recomputed });
    }
    Ok(())
}
