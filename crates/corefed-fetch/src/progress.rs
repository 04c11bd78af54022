//! What a download tells its observer.

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
