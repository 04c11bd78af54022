//! Files that somebody else made, read up to a limit: what is larger is refused without being held.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes of a spec; one of ten thousand corrupted agents is half of it.
pub const LARGEST_SPEC: u64 = 1 << 20;

/// The bytes of a file that has no more than `most`.
pub fn read_bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 <= most {
        return Ok(bytes);
    }
    let why = format!("it is larger than {} MiB, the most that such a file may have", most >> 20);
    Err(io::Error::new(io::ErrorKind::FileTooLarge, why))
}

/// The same of a text.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let text = String::from_utf8(read_bytes(path, most)?);
    text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_larger_is_refused_and_what_is_as_large_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spec.toml");
        // Files with holes take no space on the disk.
        for (length, read) in [(LARGEST_SPEC, true), (LARGEST_SPEC + 1, false), (1 << 33, false)] {
            File::create(&path).unwrap().set_len(length).unwrap();
            assert_eq!(read_text(&path, LARGEST_SPEC).is_ok(), read, "{length}");
        }
        let refused = read_text(&path, LARGEST_SPEC).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::FileTooLarge);
        assert!(refused.to_string().starts_with("it is larger than 1 MiB"), "{refused}");
        std::fs::write(&path, b"\xff").unwrap();
        assert_eq!(read_text(&path, 1).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
