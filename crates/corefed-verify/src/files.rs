//! Checks on the files that a certificate speaks of.

use std::path::Path;

use corefed_core::{Certificate, Subject};
use corefed_data::{DataError, UtilityTable, apply_file, digest_file};
use thiserror::Error;

use crate::{Checked, ListedUtilities, VerifyError, check_document, check_on_data, check_table};

/// Why a check on files ended without an answer.
#[derive(Debug, Error)]
pub enum FileError {
    /// The certificate does not hold.
    #[error("certificate refused: {0}")]
    Refused(#[from] VerifyError),
    /// The data cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
}

impl FileError {
    /// What to do about it, where that is known.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Refused(error) => error.hint().map(str::to_owned),
            Self::Data(error) => error.hint(),
        }
    }
}

/// Checks a certificate on the file that it speaks of; if none of several is, on the first, so that the
/// refusal says that it is stale. Without files it is checked against itself.
pub fn check_files(
    certificate: &Certificate,
    files: &[impl AsRef<Path>],
) -> Result<Checked, FileError> {
    let wanted = &certificate.digests.data;
    let mut digests = Vec::new();
    for file in files {
        digests.push(digest_file(file.as_ref())?);
    }
    let index = digests.iter().position(|digest| digest == wanted).unwrap_or(0);
    let (Some(path), Some(digest)) = (files.get(index), digests.get(index)) else {
        return Ok(check_document(certificate)?);
    };
    match &certificate.subject {
        Subject::Predictor(predictor) => {
            if digest != wanted {
                // The digest decides before the rows are read: changed rows may not even encode.
                let (stated, present) = (wanted.clone(), digest.clone());
                return Err(VerifyError::Stale { stated, present }.into());
            }
            // Against itself first: a hostile encoding is not worth reading data for.
            check_document(certificate)?;
            let data = apply_file(path.as_ref(), &predictor.encoding, predictor.family)?;
            Ok(check_on_data(certificate, &data.federation, &data.digest)?)
        }
        Subject::Table { .. } => {
            let table = UtilityTable::read(path.as_ref())?;
            let listed = ListedUtilities {
                models: &table.models,
                agents: &table.agents,
                utilities: &table.utilities,
                digest: &table.digest,
            };
            Ok(check_table(certificate, &listed)?)
        }
    }
}
