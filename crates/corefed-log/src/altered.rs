//! Something in a folder that is not what was written.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::Damaged;

/// Something in a run folder that is not what the run wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Altered {
    /// A file that another has another digest of.
    File {
        /// The file.
        path: PathBuf,
        /// The newest checkpoint, or the list of digests.
        by: PathBuf,
    },
    /// A file that has a digest and is not there.
    Removed {
        /// The file.
        path: PathBuf,
        /// The list of digests.
        by: PathBuf,
    },
    /// A list of digests that has lines which are none.
    List {
        /// The list.
        path: PathBuf,
    },
    /// A checkpoint that is not whole itself.
    Checkpoint(Damaged),
}

impl fmt::Display for Altered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, by } => write!(
                f,
                "`{}` was edited after it was written: `{}` has another digest of it",
                path.display(),
                by.display()
            ),
            Self::Removed { path, by } => write!(
                f,
                "`{}` was removed after it was written: `{}` has a digest of it",
                path.display(),
                by.display()
            ),
            Self::List { path } => write!(
                f,
                "`{}` was edited after it was written: not every line is a digest with a name",
                path.display()
            ),
            Self::Checkpoint(Damaged { path, reason }) => {
                write!(f, "`{}` was damaged after it was written: {reason}", path.display())
            }
        }
    }
}

impl Altered {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::File { path, .. }
            | Self::Removed { path, .. }
            | Self::List { path }
            | Self::Checkpoint(Damaged { path, .. }) => path,
        }
    }
}
