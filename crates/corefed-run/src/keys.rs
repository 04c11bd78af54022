//! Key files: what an agent signs with, kept to itself.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

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

/// Writes a new key file that only its owner may read, and never over another. Both halves must be random.
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
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|source| {
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
    let text = fs::read_to_string(path)
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
