//! What the reader of an error can do about it.

use std::io;

use super::LogError;
use crate::format::VERSION;

impl LogError {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Exists { .. } => "choose another folder with `@out`; runs are never overwritten",
            Self::Unfinished { .. } => {
                "the same call with `@resume` continues them; or choose another folder, or delete this one"
            }
            Self::NotARun { .. } => {
                "give the folder of a training that `@corefed run` began; exact runs have nothing to \
                 resume, and a `.partial-*` folder was never finished and may be deleted"
            }
            Self::NotATraining { .. } => {
                "exact runs have nothing to resume: run the spec again into another folder"
            }
            Self::NotExact { .. } => "give the folder of a spec without `[train]`",
            Self::Busy { .. } => "wait for it to finish, or stop it; the run can then resume",
            Self::Link { .. } => {
                "files of a folder lie in it: anybody who made the folder could have others read or overwritten \
                 through a link; put a copy in its place, or delete it"
            }
            Self::NotAFile { .. } => "a folder of results holds files; delete it",
            Self::Format { .. } => "give the folder of a training run",
            Self::Version { found, written_by, .. } if *found > VERSION => {
                let by = written_by.as_ref().map(|v| format!(" {v}")).unwrap_or_default();
                return Some(format!("it was written by a later corefed{by}; update this one"));
            }
            Self::Version { .. } | Self::Header { .. } => {
                "the header was altered after it was written; restore it from a copy"
            }
            Self::Record { .. } | Self::LongRecord { .. } => {
                "the records were altered after they were written; resuming the run writes them \
                 again"
            }
            Self::Read { source, .. } if source.kind() == io::ErrorKind::FileTooLarge => {
                return None;
            }
            Self::Read { .. } => "may you read it?",
            Self::NoSpace { .. } => {
                "free some space; then resume a training, which continues from its newest checkpoint, or run \
                 again what is solved at once"
            }
            Self::Write { .. } => {
                "may you write there? once you may, resume a training, which continues from its newest \
                 checkpoint, or run again what is solved at once"
            }
            Self::Taken { .. } => {
                "one of two would be lost: wait until it is there, or name another file"
            }
            Self::Output { .. } => {
                "name a file in a folder that exists and that you may write to, or `-` for standard \
                 output"
            }
            Self::Folder { .. } => "choose a folder that you may write to with `@out`",
            Self::Unrestored { .. } => "call `restore` first: it says which round is due",
            Self::Model { .. } => "resuming the run writes the model again",
            Self::Name { .. } => {
                "use a plain file name that the format does not use, such as `summary.md`"
            }
            Self::Ending { .. } => "end its name in `.csv` or `.parquet`",
            Self::NoParquet => {
                "build with `cargo install --path crates/corefed-cli --features parquet`, or `--features full` for everything"
            }
            Self::Value { .. }
            | Self::Round { .. }
            | Self::AgentRound { .. }
            | Self::Shape { .. }
            | Self::TensorName { .. }
            | Self::Export { .. } => return None,
        };
        Some(hint.to_owned())
    }
}
