//! What went wrong, and what to do about it, as a terminal shows it.

use std::fmt;
use std::io;

use corefed_core::{as_flags, one_line, shown_lines};
use corefed_data::DataError;
use corefed_data::source::FolderError;
use corefed_documents::DocumentError;
use corefed_log::LogError;
use corefed_report::ReportError;
use corefed_reproduce::ReproduceError;
use corefed_run::RunError;
use corefed_spec::SpecErrors;

/// An error as a user sees it: one message, perhaps a hint.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
    /// The reader of our output went away, which is nobody's fault.
    broken_pipe: bool,
    /// Whether the message is a list, a line each.
    lines: bool,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, broken_pipe: false, lines: false }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.broken_pipe
    }
}

/// Only a list of mistakes has lines of its own; in others a line break would be a name's.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = if self.lines { shown_lines } else { one_line };
        write!(f, "error: {}", shown(&as_flags(&self.message)))?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "\nhint: {}", shown(&as_flags(hint))))
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Self { hint: error.hint(), lines: error.is_list(), ..Self::new(error.message()) }
    }
}

impl From<ReproduceError> for Failure {
    fn from(error: ReproduceError) -> Self {
        match error {
            ReproduceError::Run(error) => error.into(),
            other => {
                let hint = other.hint();
                Self { hint, ..Self::new(other.to_string()) }
            }
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

as_run_error!(DataError, DocumentError, FolderError, LogError, ReportError, SpecErrors);

/// Those of libraries that a build may do without.
macro_rules! if_there {
    ($($feature:literal $error:ty),*) => {$(
        #[cfg(feature = $feature)]
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self { hint: error.hint(), ..Self::new(error.message()) }
            }
        }
    )*};
}

if_there!("download" corefed_fetch::FetchError, "node" corefed_node::NodeError);

/// Only standard output is written without naming a file.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self {
            broken_pipe: error.kind() == io::ErrorKind::BrokenPipe,
            hint: Some("is there space where it goes?".to_owned()),
            ..Self::new(format!("cannot write to standard output: {error}"))
        }
    }
}
