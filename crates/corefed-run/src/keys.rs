//! Key files: what an agent signs with, kept to itself.

use std::io;
use std::path::Path;

use corefed_core::{LARGEST_SPEC, read_text};
use corefed_log::create_private;
use corefed_verify::{AgentKey, bytes, hexadecimal};
use serde::{Deserialize, Serialize};

use crate::{KeyError, RunError};

const FORMAT: &str = "corefed-key";
const VERSION: u32 = 1;

/// A key as it lies on disk.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    format: String,
    version: u32,
    /// For people; the secret decides.
    public: String,
    /// Ed25519, 32 bytes.
    secret: String,
    /// Hashed with the rows, so that nobody can guess them from their digest.
    salt: String,
}

/// Writes a new key file that only its owner may read, whole and never over another. Both halves must be random.
pub fn new_key(path: &Path, secret: [u8; 32], salt: [u8; 32]) -> Result<AgentKey, RunError> {
    let key = AgentKey::new(secret, salt);
    let file = KeyFile {
        format: FORMAT.to_owned(),
        version: VERSION,
        public: key.public(),
        secret: hexadecimal(&secret),
        salt: hexadecimal(&salt),
    };
    let text = corefed_documents::to_json(&file)?;
    create_private(path, text).map_err(|source| {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::AlreadyExists => KeyError::Exists { path },
            _ => KeyError::Write { path, source },
        }
    })?;
    Ok(key)
}

/// Reads a key file.
pub fn read_key(path: &Path) -> Result<AgentKey, RunError> {
    let text = read_text(path, LARGEST_SPEC)
        .map_err(|source| RunError::Read { path: path.to_owned(), source })?;
    let refuse =
        |reason: &str| KeyError::NotAKey { path: path.to_owned(), reason: reason.to_owned() };
    let file: KeyFile =
        serde_json::from_str(&text).map_err(|_| refuse("it does not have the shape of one"))?;
    if file.format != FORMAT || file.version != VERSION {
        return Err(refuse("`format` or `version` is another").into());
    }
    let (Some(secret), Some(salt)) = (bytes(&file.secret), bytes(&file.salt)) else {
        return Err(refuse("`secret` and `salt` must be 64 hexadecimal digits each").into());
    };
    let key = AgentKey::new(secret, salt);
    if key.public() != file.public {
        return Err(refuse("`public` is not the public half of `secret`").into());
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_key_is_read_as_it_was_written_and_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.json");
        let key = new_key(&path, [1; 32], [2; 32]).unwrap();
        assert_eq!(read_key(&path).unwrap().public(), key.public());
        let again = new_key(&path, [3; 32], [4; 32]).err();
        assert!(matches!(again, Some(RunError::Key(KeyError::Exists { .. }))), "{again:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }
}
