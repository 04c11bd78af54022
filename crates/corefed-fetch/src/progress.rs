//! What a download tells its observer.

use std::fmt;

use crate::FetchError;

/// One thing that happened.
#[derive(Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// The file was already there, and is what it should be.
    Kept {
        /// Its name.
        file: &'a str,
    },
    /// An address is being asked.
    Asking {
        /// The full address.
        address: &'a str,
    },
    /// Bytes have arrived.
    Received {
        /// Name of the file.
        file: &'a str,
        /// Bytes so far, including those of an earlier attempt.
        bytes: u64,
        /// Bytes of the whole file.
        total: u64,
    },
    /// The connection broke and will be taken up again.
    Resuming {
        /// Name of the file.
        file: &'a str,
        /// Bytes so far.
        bytes: u64,
        /// Bytes of the whole file.
        total: u64,
    },
    /// An address failed, and there is another to try.
    Failed {
        /// The address that failed.
        address: &'a str,
        /// Why.
        error: &'a FetchError,
    },
    /// A checksum is being computed.
    Verifying {
        /// Name of the file.
        file: &'a str,
    },
    /// A file is being taken out of an archive.
    Unpacking {
        /// Name of the file.
        file: &'a str,
    },
    /// The file has its final name.
    Placed {
        /// Its name.
        file: &'a str,
    },
}

/// One line for a log.
impl fmt::Display for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kept { file } => write!(f, "{file}: already there"),
            Self::Asking { address } => write!(f, "asking {address}"),
            Self::Received { file, bytes, total } => write!(f, "{file}: {bytes} of {total} bytes"),
            Self::Resuming { file, bytes, total } => {
                write!(f, "{file}: the connection broke at {bytes} of {total} bytes; resuming")
            }
            Self::Failed { address, error } => write!(f, "{address}: {error}; trying the next"),
            Self::Verifying { file } => write!(f, "verifying {file}"),
            Self::Unpacking { file } => write!(f, "unpacking {file}"),
            Self::Placed { file } => write!(f, "{file}: checksum right"),
        }
    }
}
