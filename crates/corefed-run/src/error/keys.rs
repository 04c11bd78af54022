//! What is wrong with a key file.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a key cannot be made or used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KeyError {
    /// A key that is overwritten is lost.
    #[error("`{}` exists; a key is never overwritten", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file holds something else.
    #[error("`{}` is not a key file: {reason}", path.display())]
    NotAKey {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// An agent is named for a certificate of pooled rows.
    #[error("the certificate is not about rows that `{agent}` keeps")]
    Pooled {
        /// Who was named.
        agent: String,
    },
    /// The system has no random numbers to give.
    #[error("the system gives no random numbers: {reason}")]
    NoRandomness {
        /// What it said.
        reason: String,
    },
}

impl KeyError {
    /// What to do about it, where that is known.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Exists { .. } => {
                "choose another file; `@corefed keys show` prints its public half"
            }
            Self::Pooled { .. } => "leave out `@agent`: the data are checked for everybody",
            Self::NotAKey { .. } => "give the file that `@corefed keys new` wrote",
            Self::Write { .. } | Self::NoRandomness { .. } => return None,
        };
        Some(hint.to_owned())
    }
}
