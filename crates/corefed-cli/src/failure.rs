//! What went wrong, and what to do about it, as a terminal shows it.

use std::fmt;
use std::io;
use std::path::Path;

use corefed_data::DataError;
use corefed_data::source::FolderError;
use corefed_documents::DocumentError;
#[cfg(feature = "download")]
use corefed_fetch::FetchError;
use corefed_log::LogError;
use corefed_report::ReportError;
use corefed_reproduce::ReproduceError;
use corefed_run::{ForeignError, PrepareError, RunError};
use corefed_spec::SpecErrors;
use corefed_verify::{FileError, VerifyError};

/// An error as a user sees it: one message, perhaps a hint.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
    /// The reader of our output went away, which is nobody's fault.
    broken_pipe: bool,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, broken_pipe: false }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// A file that could not be read or written.
    pub(crate) fn file(doing: &str, path: &Path, error: &io::Error) -> Self {
        Self::new(format!("cannot {doing} `{}`: {error}", path.display()))
    }

    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.broken_pipe
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let hint = flags(&error).map(str::to_owned).or_else(|| error.hint());
        Self { message: error.message(), hint, broken_pipe: false }
    }
}

/// Hints of the library speak of keys; where the command has a flag of another name, that is what helps.
fn flags(error: &RunError) -> Option<&'static str> {
    Some(match error {
        RunError::Log(LogError::Exists { .. }) => {
            "choose another folder with `--out`; runs are never overwritten"
        }
        RunError::Log(LogError::Folder { .. }) => {
            "choose a folder that you may write to with `--out`"
        }
        RunError::Report(ReportError::Missing { .. }) => {
            "give the folder of `corefed run`, `compare` or `sweep`; they are below `runs/` unless `--out` \
             named another"
        }
        RunError::Read { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            "check the path: it is seen from the current folder"
        }
        RunError::Refused(VerifyError::Stale { .. }) => {
            "give the file that was solved or audited, byte for byte; a run keeps it as `federation.csv` \
             in its folder. If its rows have changed since, audit them again"
        }
        RunError::Foreign(ForeignError::Impossible { .. }) => {
            "raise small probabilities with `--clip`, such as 0.001, the same for every model"
        }
        RunError::Prepare(PrepareError::NoTarget { data: Some(_) }) => {
            "name it with `--target COLUMN`"
        }
        RunError::Prepare(PrepareError::NoColumns) => "give a `--partition` file",
        RunError::Prepare(PrepareError::OwnerColumn { .. }) => {
            "rename it, or name the owners with `--agent agent`"
        }
        _ => return None,
    })
}

impl From<ReproduceError> for Failure {
    fn from(error: ReproduceError) -> Self {
        match error {
            ReproduceError::Run(error) => error.into(),
            other => {
                let hint = other.hint();
                Self { message: other.to_string(), hint, broken_pipe: false }
            }
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Refused(error) => error.into(),
            FileError::Data(error) => error.into(),
        }
    }
}

/// Errors that the library wraps, too, are told alike.
macro_rules! as_run_error {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                RunError::from(error).into()
            }
        }
    )*};
}

as_run_error!(
    DataError,
    DocumentError,
    FolderError,
    LogError,
    ReportError,
    SpecErrors,
    VerifyError
);

#[cfg(feature = "download")]
impl From<FetchError> for Failure {
    fn from(error: FetchError) -> Self {
        let mut message = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            message = format!("{message}: {error}");
            cause = error.source();
        }
        Self { message, hint: error.hint(), broken_pipe: false }
    }
}

/// Only standard output is written without naming a file.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self {
            broken_pipe: error.kind() == io::ErrorKind::BrokenPipe,
            ..Self::new(format!("cannot write to standard output: {error}"))
        }
    }
}
