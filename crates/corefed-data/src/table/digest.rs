//! The digest of a file of any size.

use std::fmt::Write as _;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::TableError;
use crate::error::DataError;

/// SHA-256 of the bytes of a file, in hexadecimal.
pub fn digest_file(path: &Path) -> Result<String, DataError> {
    let read = |source| TableError::Read { path: path.to_owned(), source }.into();
    corefed_core::digest_file(path).map_err(read)
}

/// SHA-256 of bytes, in hexadecimal.
pub(super) fn hex_digest(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Bytes as a digest is written.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
