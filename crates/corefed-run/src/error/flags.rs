//! Hints that name flags of the command.

use std::io;

use corefed_log::LogError;
use corefed_report::ReportError;
use corefed_verify::VerifyError;

use super::{ForeignError, PrepareError, RunError};

impl RunError {
    /// What helps a user of the command, where it has a flag of another name than the key that
    /// [`hint`](Self::hint) speaks of.
    #[must_use]
    pub fn flag_hint(&self) -> Option<&'static str> {
        Some(match self {
            RunError::Log(LogError::Exists { .. }) => {
                "choose another folder with `@out`; runs are never overwritten"
            }
            RunError::Log(LogError::Folder { .. }) => {
                "choose a folder that you may write to with `@out`"
            }
            RunError::Report(ReportError::Missing { .. }) => {
                "give the folder of `corefed run`, `compare` or `sweep`; they are below `runs/` unless `@out` \
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
                "raise small probabilities with `@clip`, such as 0.001, the same for every model"
            }
            RunError::Prepare(PrepareError::NoTarget { data: Some(_) }) => {
                "name it with `@target COLUMN`"
            }
            RunError::Prepare(PrepareError::NoColumns) => "give a `@partition` file",
            RunError::Prepare(PrepareError::OwnerColumn { .. }) => {
                "rename it, or name the owners with `@agent agent`"
            }
            _ => return None,
        })
    }
}
