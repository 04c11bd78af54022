//! A certificate from a file, checked on the data that are given.

use std::path::{Path, PathBuf};

use corefed_core::read_json;
use corefed_documents::{Claimed, Verified};
use corefed_verify::{AnyCertificate, FileError, Signers, check_files_of, parse_any};

use crate::{KeyError, RunError};

/// Checks the certificate in a file, on data where they are given; `agent` says whose rows they are where agents
/// keep their rows.
pub fn verify_file(
    certificate: &Path,
    data: &[PathBuf],
    agent: Option<&str>,
) -> Result<Verified, RunError> {
    let text = read_json(certificate)
        .map_err(|source| RunError::Read { path: certificate.to_owned(), source })?;
    let certificate = parse_any(&text)?;
    if let (Some(agent), false) = (agent, matches!(certificate, AnyCertificate::Attested(_))) {
        return Err(KeyError::Pooled { agent: agent.to_owned() }.into());
    }
    let checked = check_files_of(&certificate, data, agent)?;
    let status = match &certificate {
        AnyCertificate::Attested(certificate) => Signers::of(certificate).status(),
        _ if data.is_empty() => "consistent",
        _ => "verified",
    };
    let claim = match &certificate {
        AnyCertificate::Core(certificate) => Claimed::Core { claim: certificate.claim },
        AnyCertificate::Attested(certificate) => {
            let Signers { signed, unsigned, absent } = Signers::of(certificate);
            Claimed::Attested { claim: certificate.claim, signed, unsigned, absent }
        }
        AnyCertificate::Veto(certificate) => Claimed::Veto {
            core: certificate.kept().into_iter().map(str::to_owned).collect(),
            models: certificate.models.len(),
        },
    };
    let status = status.to_owned();
    Ok(Verified { status, claim, checked: checked.checked, not_checked: checked.unchecked })
}

impl From<FileError> for RunError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Refused(error) => error.into(),
            FileError::Data(error) => error.into(),
        }
    }
}
