//! Checks on the files that a certificate speaks of.

use std::path::Path;

use corefed_core::{AttestedCertificate, Certificate, Subject};
use corefed_data::{
    DataError, Federation, UtilityTable, apply_file, apply_own, digest_file, read_table,
};
use thiserror::Error;

use crate::veto::{check_veto, check_veto_table};
use crate::{
    AnyCertificate, AttestedError, Checked, ListedUtilities, VerifyError, check_attested,
    check_document, check_on_data, check_own_rows, check_table, computable,
};

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
    certificate: &AnyCertificate,
    files: &[impl AsRef<Path>],
) -> Result<Checked, FileError> {
    check_files_of(certificate, files, None)
}

/// The same for rows of a named agent, where agents keep their rows: each file is one agent's own.
pub fn check_files_of(
    certificate: &AnyCertificate,
    files: &[impl AsRef<Path>],
    agent: Option<&str>,
) -> Result<Checked, FileError> {
    match certificate {
        AnyCertificate::Attested(certificate) => check_attested_files(certificate, files, agent),
        AnyCertificate::Core(certificate) => check_core(certificate, files),
        AnyCertificate::Veto(certificate) => {
            let Some((path, _)) = file_of(&certificate.table, files)? else {
                return Ok(check_veto(certificate)?);
            };
            // Against itself first: a table need not be read for a document that is nonsense.
            check_veto(certificate)?;
            let table = UtilityTable::read_grouped(path, certificate.group.as_deref())?;
            Ok(check_veto_table(certificate, &listed(&table), table.groups.as_deref())?)
        }
    }
}

/// One agent's own rows, encoded as the terms say: its name, and a federation of it alone.
///
/// The agent may be left out where the file names it, and must be given where it does not.
pub fn own_rows(
    certificate: &AttestedCertificate,
    file: &Path,
    agent: Option<&str>,
) -> Result<(String, Federation), FileError> {
    let predictor = computable(certificate).map_err(VerifyError::from)?;
    let rows = apply_own(&read_table(file)?, &predictor.encoding, predictor.family, agent)?;
    match rows.agents() {
        [own] => Ok((agent.unwrap_or(&own.name).to_owned(), rows)),
        several => {
            let found = several.iter().map(|agent| agent.name.clone()).collect();
            Err(VerifyError::from(AttestedError::OtherRows { found }).into())
        }
    }
}

fn check_attested_files(
    certificate: &AttestedCertificate,
    files: &[impl AsRef<Path>],
    agent: Option<&str>,
) -> Result<Checked, FileError> {
    // Against itself first: a hostile encoding is not worth reading data for.
    let mut checked = check_attested(certificate)?;
    for file in files {
        let (agent, rows) = own_rows(certificate, file.as_ref(), agent)?;
        checked.add(check_own_rows(certificate, &agent, &rows)?);
    }
    Ok(checked)
}

/// The file with the digest that is wanted, else the first, with its digest.
fn file_of<'a>(
    wanted: &str,
    files: &'a [impl AsRef<Path>],
) -> Result<Option<(&'a Path, String)>, DataError> {
    let mut first = None;
    for file in files {
        let digest = digest_file(file.as_ref())?;
        if digest == wanted {
            return Ok(Some((file.as_ref(), digest)));
        }
        first.get_or_insert((file.as_ref(), digest));
    }
    Ok(first)
}

fn listed(table: &UtilityTable) -> ListedUtilities<'_> {
    ListedUtilities {
        models: &table.models,
        agents: &table.agents,
        utilities: &table.utilities,
        digest: &table.digest,
    }
}

fn check_core(certificate: &Certificate, files: &[impl AsRef<Path>]) -> Result<Checked, FileError> {
    let wanted = &certificate.digests.data;
    let Some((path, digest)) = file_of(wanted, files)? else {
        return Ok(check_document(certificate)?);
    };
    match &certificate.subject {
        Subject::Predictor(predictor) => {
            if digest != *wanted {
                // The digest decides before the rows are read: changed rows may not even encode.
                return Err(VerifyError::Stale { stated: wanted.clone(), present: digest }.into());
            }
            // Against itself first: a hostile encoding is not worth reading data for.
            check_document(certificate)?;
            let data = apply_file(path, &predictor.encoding, predictor.family)?;
            Ok(check_on_data(certificate, &data.federation, &data.digest)?)
        }
        Subject::Table { .. } => {
            let table = UtilityTable::read(path)?;
            Ok(check_table(certificate, &listed(&table))?)
        }
    }
}
