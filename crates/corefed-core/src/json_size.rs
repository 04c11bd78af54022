//! How large a JSON document may be that somebody else made: what is read takes memory by its values, up to 150
//! bytes each, and a value may have two bytes in the file.

use std::io;
use std::path::Path;

use thiserror::Error;

use crate::bounded::{read_bytes, read_text};

/// Bytes of a document; a longer file is not read to its end.
pub const LARGEST_JSON: u64 = 256 << 20;
/// Values of a document.
pub const MOST_JSON_VALUES: usize = 10_000_000;

/// A document that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum JsonTooLarge {
    /// It has too many values.
    #[error("it has more than {MOST_JSON_VALUES} values, the most that a document may have")]
    Values,
}

impl From<JsonTooLarge> for io::Error {
    fn from(error: JsonTooLarge) -> Self {
        Self::new(io::ErrorKind::FileTooLarge, error)
    }
}

/// Reads a document that is to be parsed, if it is not too large.
pub fn read_json(path: &Path) -> io::Result<String> {
    let text = read_text(path, LARGEST_JSON)?;
    check_json(&text)?;
    Ok(text)
}

/// The same as bytes, which may be no text.
pub fn read_json_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let bytes = read_bytes(path, LARGEST_JSON)?;
    check_json(&bytes)?;
    Ok(bytes)
}

/// Refuses a text that would take much memory when it is parsed. Names of fields are counted as values are.
///
/// ```
/// use corefed_core::{JsonTooLarge, check_json};
///
/// assert_eq!(check_json(r#"{"a": [1, 2], "b": "[[[["}"#), Ok(()));
/// assert_eq!(check_json(&"[".repeat(10_000_001)), Err(JsonTooLarge::Values));
/// ```
pub fn check_json(text: impl AsRef<[u8]>) -> Result<(), JsonTooLarge> {
    let (mut values, mut quoted, mut escaped) = (0_usize, false, false);
    for byte in text.as_ref() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b',' | b':' | b'[' | b'{' if !quoted => values += 1,
            _ => {}
        }
    }
    if values > MOST_JSON_VALUES { Err(JsonTooLarge::Values) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_not_counted() {
        let many = ",".repeat(MOST_JSON_VALUES + 1);
        assert_eq!(check_json(&many), Err(JsonTooLarge::Values));
        assert_eq!(check_json(format!("\"{many}\"")), Ok(()));
        // The quote that is escaped does not end the text, and the backslash that is escaped escapes nothing.
        assert_eq!(check_json(format!(r#""\"{many}""#)), Ok(()));
        assert_eq!(check_json(format!(r#""\\"{many}"#)), Err(JsonTooLarge::Values));
        assert_eq!(check_json(&many[1..]), Ok(()));
    }

    #[test]
    fn a_file_beyond_the_limit_is_refused_by_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large.json");
        // A file with a hole takes no space on the disk.
        std::fs::File::create(&path).unwrap().set_len(LARGEST_JSON + 1).unwrap();
        let refused = read_json(&path).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::FileTooLarge);
        assert!(refused.to_string().contains("256 MiB"), "{refused}");
    }
}
