//! The key that a node is known by: P-384, as `ssh-keygen -t ecdsa -b 384` or a PEM file has it.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use base64ct::{Base64, Encoding};
use p384::SecretKey;
use p384::ecdsa::signature::hazmat::PrehashSigner;
use p384::ecdsa::{Signature, SigningKey};
use p384::pkcs8::{DecodePrivateKey, EncodePublicKey, LineEnding};
use sha2::{Digest, Sha256};

use crate::error::NodeError;
use crate::ssh_key::{is_ssh_key, ssh_secret};
use crate::timestamp::iso;

/// A SuperLink takes a signature for five minutes; one is used for a fraction of that.
const FRESH: Duration = Duration::from_secs(20);

/// A node's key.
pub(crate) struct NodeKey {
    signing: SigningKey,
    /// The public half, as the SuperLink registers it.
    pub(crate) public: Vec<u8>,
    last: Mutex<Option<Signed>>,
}

/// A point in time, and the signature over it.
#[derive(Clone)]
pub(crate) struct Signed {
    /// When it was made.
    pub(crate) at: SystemTime,
    pub(crate) timestamp: String,
    /// In base64.
    pub(crate) signature: String,
}

impl NodeKey {
    /// Reads a key file.
    pub(crate) fn read(path: &Path) -> Result<Self, NodeError> {
        let text = fs::read_to_string(path)
            .map_err(|source| NodeError::KeyFile { path: path.to_owned(), source })?;
        Self::of(&text).map_err(|reason| NodeError::Key { path: path.to_owned(), reason })
    }

    fn of(text: &str) -> Result<Self, String> {
        let secret = if is_ssh_key(text) {
            SecretKey::from_slice(&ssh_secret(text)?).map_err(|error| error.to_string())
        } else if text.contains("BEGIN EC PRIVATE KEY") {
            SecretKey::from_sec1_pem(text).map_err(|_| "its curve is not P-384".to_owned())
        } else if text.contains("BEGIN ENCRYPTED PRIVATE KEY") {
            Err("it is locked by a passphrase".to_owned())
        } else {
            SecretKey::from_pkcs8_pem(text)
                .map_err(|_| "it is not a private key on the curve P-384".to_owned())
        }?;
        let public = secret.public_key().to_public_key_pem(LineEnding::LF);
        let public = public.map_err(|error| error.to_string())?.into_bytes();
        Ok(Self { signing: secret.into(), public, last: Mutex::new(None) })
    }

    /// The public half in base64, for a header.
    pub(crate) fn header(&self) -> String {
        Base64::encode_string(&self.public)
    }

    /// A signature over the time, or over one a moment ago.
    pub(crate) fn sign(&self, now: SystemTime) -> Result<Signed, NodeError> {
        let mut last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(signed) = &*last
            && now.duration_since(signed.at).is_ok_and(|age| age < FRESH)
        {
            return Ok(signed.clone());
        }
        let timestamp = iso(now);
        let signature: Signature = self
            .signing
            .sign_prehash(&Sha256::digest(timestamp.as_bytes()))
            .map_err(|error| NodeError::Signature { reason: error.to_string() })?;
        let signature = Base64::encode_string(signature.to_der().as_bytes());
        let signed = Signed { at: now, timestamp, signature };
        *last = Some(signed.clone());
        Ok(signed)
    }
}

/// Whether others than its owner may read a file.
#[cfg(unix)]
pub(crate) fn is_open(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

/// Whether others than its owner may read a file; nobody can say here.
#[cfg(not(unix))]
pub(crate) fn is_open(_path: &Path) -> bool {
    false
}

#[cfg(test)]
impl NodeKey {
    /// A key for tests.
    pub(crate) fn of_seed(seed: u8) -> Self {
        use p384::pkcs8::EncodePrivateKey;
        let secret = SecretKey::from_slice(&[seed; 48]).unwrap();
        Self::of(&secret.to_pkcs8_pem(LineEnding::LF).unwrap()).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use p384::pkcs8::EncodePrivateKey;

    use super::*;

    fn pem() -> String {
        let secret = SecretKey::from_slice(&[7; 48]).unwrap();
        secret.to_pkcs8_pem(LineEnding::LF).unwrap().to_string()
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_others_may_read_is_noticed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        fs::write(&path, pem()).unwrap();
        for (mode, open) in [(0o600, false), (0o400, false), (0o640, true), (0o604, true)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(is_open(&path), open, "{mode:o}");
        }
    }

    #[test]
    fn a_signature_is_used_for_a_moment_and_made_anew_after_it() {
        let key = NodeKey::of(&pem()).unwrap();
        let begin = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let first = key.sign(begin).unwrap();
        assert!(first.timestamp.starts_with("2001-09-09T01:46:40"));
        assert_eq!(key.sign(begin + FRESH / 2).unwrap().signature, first.signature);
        assert_ne!(key.sign(begin + FRESH).unwrap().signature, first.signature);
        // A clock that was set back is not a reason to use a signature of the future.
        assert_ne!(key.sign(begin - FRESH).unwrap().timestamp, first.timestamp);
    }

    #[test]
    fn what_is_not_a_key_is_named_for_what_it_is() {
        let said = |text: &str| NodeKey::of(text).err().unwrap();
        assert!(said("hello").contains("not a private key on the curve P-384"));
        assert!(said("-----BEGIN ENCRYPTED PRIVATE KEY-----").contains("passphrase"));
        assert!(said(&pem().replace('A', "B")).contains("P-384"));
    }
}
