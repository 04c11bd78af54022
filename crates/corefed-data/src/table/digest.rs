//! The digest of a file of any size.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::TableError;
use crate::error::DataError;

/// SHA-256 of the bytes of a file, in hexadecimal.
pub fn digest_file(path: &Path) -> Result<String, DataError> {
    let digest = || -> io::Result<Sha256> {
        let mut file = File::open(path)?;
        let mut buffer = vec![0; 1 << 18];
        let mut digest = Sha256::new();
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(digest),
                Ok(count) => digest.update(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    };
    let digest = digest().map_err(|source| TableError::Read { path: path.to_owned(), source })?;
    Ok(hexadecimal(&digest.finalize()))
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
