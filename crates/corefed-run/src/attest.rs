//! An agent's part of a certificate, checked on its own rows and signed; and signed parts put together.

use std::path::{Path, PathBuf};

use corefed_core::{AttestedCertificate, read_json};
use corefed_verify::{
    AgentKey, AnyCertificate, AttestedError, Checked, SignedAttestation, VerifyError,
    check_attested, merge, own_rows, parse_any, parse_signed,
};

use crate::RunError;
use crate::declared::check_declared;

/// What an agent sends back, and what it checked before it signed.
#[derive(Clone, Debug)]
pub struct OwnAttestation {
    /// Its answers, signed.
    pub attestation: SignedAttestation,
    /// What was checked.
    pub checked: Checked,
}

/// Reads the certificate of a federation that pools nothing.
fn read_attested(path: &Path) -> Result<AttestedCertificate, RunError> {
    match parse_any(&read(path)?)? {
        AnyCertificate::Attested(certificate) => Ok(*certificate),
        AnyCertificate::Core(_) | AnyCertificate::Veto(_) => {
            Err(VerifyError::from(AttestedError::Pooled).into())
        }
    }
}

/// Checks an agent's part of a certificate on a file of its own rows, and signs it. Who it is follows from the
/// key; a name must agree with it.
pub fn attest_own(
    certificate: &Path,
    rows: &Path,
    key: &AgentKey,
    agent: Option<&str>,
) -> Result<OwnAttestation, RunError> {
    let certificate = read_attested(certificate)?;
    // Against itself first: a hostile encoding is not worth reading rows for.
    check_attested(&certificate)?;
    let agent = match agent {
        Some(agent) => agent.to_owned(),
        None => key.owner(&certificate)?.to_owned(),
    };
    let (_, rows) = own_rows(&certificate, rows, Some(&agent))?;
    let (attestation, mut checked) = corefed_verify::attest(&certificate, &agent, &rows, key)?;
    if check_declared(&certificate, &agent, &rows)? {
        let told =
            "the ceiling is what its policy gives on these rows, by the code that declared it";
        checked.checked.push(told.to_owned());
    }
    Ok(OwnAttestation { attestation, checked })
}

/// Puts files of signed answers into a certificate.
pub fn merge_attestations(
    certificate: &Path,
    attestations: &[PathBuf],
) -> Result<AttestedCertificate, RunError> {
    let certificate = read_attested(certificate)?;
    let attestations = attestations.iter().map(|path| {
        let signed = parse_signed(&read(path)?);
        signed.map_err(|error| RunError::from(error).at(&format!("`{}`", path.display())))
    });
    let attestations = attestations.collect::<Result<Vec<_>, RunError>>()?;
    Ok(merge(certificate, attestations)?)
}

fn read(path: &Path) -> Result<String, RunError> {
    read_json(path).map_err(|source| RunError::Read { path: path.to_owned(), source })
}
