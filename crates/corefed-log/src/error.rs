//! What can go wrong between a run and its folder.

use std::error::Error as StdError;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::format::VERSION;

mod hint;

/// Why a run folder could not be written or read. What was written before is still there, and a
/// run resumes from its newest checkpoint.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LogError {
    /// Runs are never overwritten.
    #[error("`{}` exists already", path.display())]
    Exists {
        /// The folder asked for.
        path: PathBuf,
    },
    /// Somebody was interrupted while several trainings were made.
    #[error("`{}` holds trainings that were not finished", path.display())]
    Unfinished {
        /// The folder asked for.
        path: PathBuf,
    },
    /// There is no header.
    #[error("`{}` is not the folder of a training: it has no `run.json`", path.display())]
    NotARun {
        /// The folder asked for.
        path: PathBuf,
    },
    /// The run was solved exactly, and has no rounds.
    #[error("`{}` is the header of an exact run, which has no rounds", path.display())]
    NotATraining {
        /// The header.
        path: PathBuf,
    },
    /// The run was trained by rounds.
    #[error("`{}` is the header of a training, not of an exact run", path.display())]
    NotExact {
        /// The header.
        path: PathBuf,
    },
    /// Something in a folder leads out of it, or is a link where a file is written.
    #[error("`{}` is a link{}", path.display(), led(target.as_deref()))]
    Link {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        target: Option<PathBuf>,
    },
    /// Something in a folder is not a file, a folder or a link.
    #[error("`{}` is a pipe, a socket or a device", path.display())]
    NotAFile {
        /// What it is called.
        path: PathBuf,
    },
    /// Another process is writing the run.
    #[error("another process is writing the run in `{}`", path.display())]
    Busy {
        /// The run's folder.
        path: PathBuf,
    },
    /// The header is of something else.
    #[error("`{}` is of format `{found}`, not `corefed-run`", path.display())]
    Format {
        /// The header.
        path: PathBuf,
        /// Its `format`.
        found: String,
    },
    /// The header is of a version that this program does not know.
    #[error("`{}` is of version {found}; this program reads version {VERSION}", path.display())]
    Version {
        /// The header.
        path: PathBuf,
        /// Its `version`.
        found: u64,
        /// The program that wrote it, where the header says so.
        written_by: Option<String>,
    },
    /// The header is not what its version says.
    #[error("cannot read the header `{}`", path.display())]
    Header {
        /// The header.
        path: PathBuf,
        /// What JSON said.
        source: serde_json::Error,
    },
    /// A line of the records is not what the version says.
    #[error("`{}`, line {line}: not a record of version {VERSION}", path.display())]
    Record {
        /// The records.
        path: PathBuf,
        /// Counted from one.
        line: u64,
        /// What JSON said.
        source: serde_json::Error,
    },
    /// A line of the records is longer than any record.
    #[error("`{}`, line {line}: it is longer than {most} bytes, which no record is", path.display())]
    LongRecord {
        /// The records.
        path: PathBuf,
        /// Counted from one.
        line: u64,
        /// What a line may have.
        most: u64,
    },
    /// A value has no form in the file: a mandatory number is not a number.
    #[error("cannot write `{}`: {source}", path.display())]
    Value {
        /// The file it was meant for.
        path: PathBuf,
        /// What JSON said.
        source: serde_json::Error,
    },
    /// A file could not be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// What was being read.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The disk is full, or a quota is used up.
    #[error("no space left for `{}`", path.display())]
    NoSpace {
        /// What was being written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process is writing this very file.
    #[error("another process is writing `{}`", path.display())]
    Taken {
        /// The file.
        path: PathBuf,
    },
    /// A file could not be written.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// What was being written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file that is asked for could not be written.
    #[error("cannot write `{}`", path.display())]
    Output {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder that is asked for could not be made.
    #[error("cannot create `{}`", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder that was opened is written to before its checkpoint is restored.
    #[error("the run in `{}` was opened, but not restored", path.display())]
    Unrestored {
        /// The run's folder.
        path: PathBuf,
    },
    /// Rounds follow one another from zero; a checkpoint is of the last one.
    #[error("round {found} of the run in `{}` where round {expected} is due", path.display())]
    Round {
        /// The run's folder.
        path: PathBuf,
        /// The round that is due.
        expected: usize,
        /// The round that came.
        found: usize,
    },
    /// A record of an agent belongs to another round than the one it came with.
    #[error("the record of agent `{agent}` is of round {found}, it came with round {expected}")]
    AgentRound {
        /// Name of the agent.
        agent: String,
        /// The round it came with.
        expected: usize,
        /// The round it says.
        found: usize,
    },
    /// A tensor has more or fewer values than its shape.
    #[error("tensor `{name}` has shape {shape:?} but {values} values")]
    Shape {
        /// Name of the tensor.
        name: String,
        /// Sizes of its axes.
        shape: Vec<usize>,
        /// How many values there are.
        values: usize,
    },
    /// Two tensors have one name, or one has a name that the format keeps to itself.
    #[error("tensor name `{name}` is taken")]
    TensorName {
        /// The name.
        name: String,
    },
    /// A model file is cut short, altered, or of types that are not `F32` or `F64`.
    #[error("`{}` is not a model: {reason}", path.display())]
    Model {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A file of the caller's may not have this name.
    #[error("`{name}` cannot be the name of a file in a run folder")]
    Name {
        /// The name asked for.
        name: String,
    },
    /// Neither CSV nor Parquet.
    #[error("`{}` has no known ending", path.display())]
    Ending {
        /// The file asked for.
        path: PathBuf,
    },
    /// This build cannot write Parquet.
    #[error("this build cannot write Parquet: it was built without the feature `parquet`")]
    NoParquet,
    /// Records could not be written in another format.
    #[error("cannot export the records")]
    Export {
        /// What the writer said.
        source: Box<dyn StdError + Send + Sync>,
    },
}

impl LogError {
    /// A failure to write, told apart by whether the disk is full.
    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::NoSpace { path, source }
            }
            io::ErrorKind::ResourceBusy => Self::Taken { path },
            _ => Self::Write { path, source },
        }
    }

    /// A failure to read.
    pub(crate) fn read(path: &Path, source: io::Error) -> Self {
        Self::Read { path: path.to_owned(), source }
    }
}

/// Where a link leads, as the end of a sentence.
fn led(target: Option<&Path>) -> String {
    target.map_or_else(String::new, |target| format!(" to `{}`", target.display()))
}
