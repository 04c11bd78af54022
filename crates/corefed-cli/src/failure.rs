//! What went wrong, and what to do about it.

use std::fmt;
use std::io;
use std::path::Path;

use corefed_data::DataError;
use corefed_data::source::FolderError;
#[cfg(feature = "download")]
use corefed_fetch::FetchError;
use corefed_log::LogError;
use corefed_sim::{DeviceFailure, EngineError};
use corefed_solve::CeilingError;
use corefed_spec::SpecErrors;
use corefed_verify::VerifyError;

/// An error as a user sees it: one message, perhaps a hint.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Option<String>,
    /// The reader of our output went away, which is nobody's fault.
    broken_pipe: bool,
    /// A training that could not go on, though everything was as it should be.
    diverged: bool,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, broken_pipe: false, diverged: false }
    }

    /// A training that exploded: an outcome, for whoever compares trainings.
    pub(crate) fn diverged(message: impl Into<String>) -> Self {
        Self { diverged: true, ..Self::new(message) }
    }

    pub(crate) fn is_diverged(&self) -> bool {
        self.diverged
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// A GPU that is missing or did not do its part.
    pub(crate) fn device(failure: DeviceFailure) -> Self {
        Self::new(failure.reason).hint(failure.hint)
    }

    /// A file that could not be read or written.
    pub(crate) fn file(doing: &str, path: &Path, error: &io::Error) -> Self {
        Self::new(format!("cannot {doing} `{}`: {error}", path.display()))
    }

    /// Says at which setting of several it happened.
    pub(crate) fn at(mut self, setting: &str) -> Self {
        self.message = format!("at {setting}: {}", self.message);
        self
    }

    /// Names the file that is to blame.
    pub(crate) fn about(mut self, path: &Path) -> Self {
        self.message = format!("`{}`: {}", path.display(), self.message);
        self
    }

    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.broken_pipe
    }

    /// Arguments that were not understood.
    pub(crate) fn arguments(error: &clap::Error) -> Self {
        let text = error.to_string();
        Self::new(text.strip_prefix("error: ").unwrap_or(&text).trim_end())
    }

    /// What went wrong.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it, if that is known.
    #[must_use]
    pub fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
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

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        Self { message: chain(&error), hint: error.hint(), broken_pipe: false, diverged: false }
    }
}

#[cfg(feature = "download")]
impl From<FetchError> for Failure {
    fn from(error: FetchError) -> Self {
        Self { message: chain(&error), hint: error.hint(), broken_pipe: false, diverged: false }
    }
}

impl From<LogError> for Failure {
    fn from(error: LogError) -> Self {
        let hint = error.hint();
        Self { message: chain(&error), hint, broken_pipe: false, diverged: false }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let hint = match &error {
            EngineError::NoHessians => "use rule `corefed` instead",
            EngineError::NotEverybody => {
                "set `train.participation.cohort = \"all\"`, without dropout and stragglers"
            }
            EngineError::Stranger { .. } => "names are those of the agent column or the partition",
            _ => "see docs/spec.md",
        };
        Self::new(error.to_string()).hint(hint)
    }
}

impl From<SpecErrors> for Failure {
    fn from(errors: SpecErrors) -> Self {
        Self {
            message: errors.to_string(),
            hint: errors.hint(),
            broken_pipe: false,
            diverged: false,
        }
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        Self::new(error.to_string()).hint(error.hint())
    }
}

/// An error with its causes, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message = format!("{message}: {error}");
        cause = error.source();
    }
    message
}

impl From<VerifyError> for Failure {
    fn from(error: VerifyError) -> Self {
        let hint = error.hint().map(ToOwned::to_owned);
        Self {
            message: format!("certificate refused: {error}"),
            hint,
            broken_pipe: false,
            diverged: false,
        }
    }
}

impl From<CeilingError> for Failure {
    fn from(error: CeilingError) -> Self {
        Self::new(error.to_string()).hint("choose another `--ceiling`, such as `initial:1.5`")
    }
}

/// Only standard output is written without naming a file.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let broken_pipe = error.kind() == io::ErrorKind::BrokenPipe;
        Self {
            message: format!("cannot write to standard output: {error}"),
            hint: None,
            broken_pipe,
            diverged: false,
        }
    }
}
