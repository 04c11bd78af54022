//! Content digests that tie a certificate to its data and parameters.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest as _, Sha256};

/// Lower-case hexadecimal SHA-256 of some bytes.
#[must_use]
pub fn digest_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The same of several pieces, as if they were one.
#[must_use]
pub fn digest_pieces(pieces: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for piece in pieces {
        hasher.update(piece);
    }
    hex(&hasher.finalize())
}

/// The same of a file, which may be larger than memory.
pub fn digest_file(path: &Path) -> io::Result<String> {
    let (mut hasher, mut block) = (Sha256::new(), vec![0; 1 << 18]);
    let mut file = File::open(path)?;
    loop {
        match file.read(&mut block) {
            Ok(0) => return Ok(hex(&hasher.finalize())),
            Ok(count) => hasher.update(&block[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Digest of numbers by their IEEE bits, little-endian.
#[must_use]
pub fn digest_numbers(values: &[f64]) -> String {
    let mut hasher = Sha256::new();
    for value in values {
        hasher.update(value.to_le_bytes());
    }
    hex(&hasher.finalize())
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_match_the_published_vector_and_see_every_bit() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest_bytes(b"abc"), abc);
        assert_ne!(digest_numbers(&[0.0]), digest_numbers(&[-0.0]));
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("abc"), "abc").unwrap();
        assert_eq!(digest_file(&folder.path().join("abc")).unwrap(), abc);
        assert!(digest_file(folder.path()).is_err());
    }
}
