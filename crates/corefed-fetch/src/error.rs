//! What can go wrong between a publisher and the data folder.

use std::error::Error as StdError;
use std::io;
use std::path::{Path, PathBuf};

use corefed_data::source::SourceError;
use corefed_data::source::catalogue::UnknownSet;
use thiserror::Error;

/// Why a set could not be fetched. Whatever was there before is still there.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FetchError {
    /// No set has this name.
    #[error(transparent)]
    Unknown(#[from] UnknownSet),
    /// The set is drawn by code.
    #[error("`{name}` is generated, so there is nothing to fetch")]
    Generated {
        /// Name of the set.
        name: &'static str,
    },
    /// The mirror is not an address.
    #[error("mirror `{mirror}` is not an address that starts with `http://` or `https://`")]
    Mirror {
        /// What was given.
        mirror: String,
    },
    /// The catalogue lists no address.
    #[error("no address is known for `{file}`")]
    NoAddress {
        /// Name of the file.
        file: &'static str,
    },
    /// The server could not be reached, or does not speak HTTP.
    #[error("cannot reach `{address}`")]
    Connect {
        /// The full address.
        address: String,
        /// What the network said.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The server answered, but not with the file.
    #[error("`{address}` answers with status {status}")]
    Status {
        /// The full address.
        address: String,
        /// HTTP status.
        status: u16,
    },
    /// The server offers a file of another size; nothing of it was kept.
    #[error("`{address}` offers {found} bytes, expected {expected}")]
    Size {
        /// The full address.
        address: String,
        /// Bytes as published.
        expected: u64,
        /// Bytes offered.
        found: u64,
    },
    /// The server sent more than the file; nothing of it was kept.
    #[error("`{address}` sends more than the expected {expected} bytes")]
    Oversized {
        /// The full address.
        address: String,
        /// Bytes as published.
        expected: u64,
    },
    /// The connection ended early; what arrived was kept.
    #[error("`{address}` stopped after {received} of {expected} bytes")]
    Interrupted {
        /// The full address.
        address: String,
        /// Bytes as published.
        expected: u64,
        /// Bytes kept so far.
        received: u64,
        /// What the network said, if it said anything.
        source: Option<io::Error>,
    },
    /// The bytes are not those that were published; they were deleted.
    #[error("`{from}`: the checksum of `{file}` is {found}, expected {expected}")]
    Checksum {
        /// Address or archive.
        from: String,
        /// Name of the file.
        file: &'static str,
        /// SHA-256 as published.
        expected: &'static str,
        /// SHA-256 of what arrived.
        found: String,
    },
    /// The disk is full, or a quota is used up.
    #[error("no space for `{}`, which needs {needed} more bytes", path.display())]
    NoSpace {
        /// What was being written.
        path: PathBuf,
        /// Bytes still to be written.
        needed: u64,
        /// What the system said.
        source: io::Error,
    },
    /// The data folder could not be written to.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// What was being written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process is fetching the same set.
    #[error("another process is fetching into `{}`", folder.display())]
    Busy {
        /// Folder of the set.
        folder: PathBuf,
    },
    /// The archive cannot be read to its end.
    #[error("archive `{}` is damaged", archive.display())]
    Archive {
        /// Where it lies.
        archive: PathBuf,
        /// What the decoder said.
        source: io::Error,
    },
    /// A member of the archive would be written outside its folder, or is a link.
    #[error("archive `{}` has a member `{member}`, which is refused", archive.display())]
    UnsafeMember {
        /// Where it lies.
        archive: PathBuf,
        /// Path of the member.
        member: String,
    },
    /// A member of the archive has the wrong size, or is not there (size 0).
    #[error(
        "archive `{}` has {found} bytes of `{member}`, expected {expected}", archive.display()
    )]
    Member {
        /// Where it lies.
        archive: PathBuf,
        /// Name of the file.
        member: &'static str,
        /// Bytes as published.
        expected: u64,
        /// Bytes there are.
        found: u64,
    },
    /// A file already in the data folder could not be looked at.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl FetchError {
    /// The error and what caused it, in one line.
    #[must_use]
    pub fn message(&self) -> String {
        let mut message = self.to_string();
        let mut cause = StdError::source(self);
        while let Some(error) = cause {
            message = format!("{message}: {error}");
            cause = error.source();
        }
        message
    }

    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Unknown(error) => return Some(error.hint()),
            Self::Source(error) => return error.hint(),
            Self::Generated { .. } => "generated sets need no download; use its name as it is",
            Self::Mirror { .. } => {
                "give the address of the folder that holds the files, such as \
                 `--mirror https://example.org/mnist/`"
            }
            Self::NoAddress { .. } | Self::Connect { .. } | Self::Status { .. } => {
                "is the network up? `--mirror URL` fetches the same files from another address"
            }
            Self::Size { .. } | Self::Oversized { .. } | Self::Checksum { .. } => {
                "this is not the published file; try again, or another address with `--mirror URL`"
            }
            Self::Interrupted { .. } => "run the same command again: it resumes where it stopped",
            Self::NoSpace { .. } => {
                "free some space, or choose another folder with `--data-dir`, then run the same \
                 command again: it resumes where it stopped"
            }
            Self::Write { .. } => "may you write there? `--data-dir` chooses another folder",
            Self::Busy { .. } => "wait for it to finish",
            Self::Archive { .. } | Self::UnsafeMember { .. } | Self::Member { .. } => {
                "this is not the published archive; try another address with `--mirror URL`"
            }
        };
        Some(hint.to_owned())
    }

    /// A failure to write, told apart by whether the disk is full.
    pub(crate) fn write(path: &Path, needed: u64, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::NoSpace { path, needed, source }
            }
            _ => Self::Write { path, source },
        }
    }

    /// Whether another address may do better.
    pub(crate) fn is_remote(&self) -> bool {
        matches!(
            self,
            Self::Connect { .. }
                | Self::Status { .. }
                | Self::Size { .. }
                | Self::Oversized { .. }
                | Self::Interrupted { .. }
                | Self::Checksum { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_called_by_its_name() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let error = FetchError::write(Path::new("file.bin.partial"), 200_000, full);
        assert!(matches!(error, FetchError::NoSpace { needed: 200_000, .. }), "{error:?}");
        assert!(error.to_string().starts_with("no space for `"), "{error}");
        assert!(error.hint().unwrap().starts_with("free some space"));
    }
}
