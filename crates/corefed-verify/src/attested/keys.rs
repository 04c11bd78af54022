//! Keys of agents: an Ed25519 key to sign with, and the salt of its rows' digest.

use std::fmt;

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};

use corefed_core::AttestedCertificate;

use super::layout::Digest;
use crate::{AttestedError, VerifyError};

/// What an agent keeps to itself.
#[derive(Clone)]
pub struct AgentKey {
    signing: SigningKey,
    salt: [u8; 32],
}

impl AgentKey {
    /// A key from a secret of 32 bytes, with the salt of its owner's rows. Both must be drawn at random.
    #[must_use]
    pub fn new(secret: [u8; 32], salt: [u8; 32]) -> Self {
        Self { signing: SigningKey::from_bytes(&secret), salt }
    }

    /// The public half, as terms write it.
    #[must_use]
    pub fn public(&self) -> String {
        hexadecimal(self.signing.verifying_key().as_bytes())
    }

    /// The agent of a certificate whose key this is.
    pub fn owner<'a>(&self, certificate: &'a AttestedCertificate) -> Result<&'a str, VerifyError> {
        let own = self.public();
        let mut agents = certificate.terms.agents.iter();
        match agents.find(|party| party.key.as_deref() == Some(&own)) {
            Some(party) => Ok(&party.name),
            None => Err(AttestedError::NobodysKey { own }.into()),
        }
    }

    /// Signs a text for a purpose: a signature for one purpose fits no other.
    #[must_use]
    pub fn sign_text(&self, purpose: &str, text: &str) -> String {
        self.sign(&purposeful(purpose, text))
    }

    pub(crate) fn salt(&self) -> &[u8; 32] {
        &self.salt
    }

    pub(crate) fn sign(&self, message: &[u8]) -> String {
        hexadecimal(&self.signing.sign(message).to_bytes())
    }
}

/// Whether a text was signed for a purpose by the owner of a public key.
#[must_use]
pub fn is_signed_by(public: &str, purpose: &str, text: &str, signature: &str) -> bool {
    let (Some(key), Some(signature)) = (public_key(public), bytes(signature)) else { return false };
    fits(&key, &purposeful(purpose, text), &signature)
}

fn purposeful(purpose: &str, text: &str) -> Vec<u8> {
    [purpose.as_bytes(), b"\n", text.as_bytes()].concat()
}

/// Without the secret: what is printed may be read by others.
impl fmt::Debug for AgentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentKey").field("public", &self.public()).finish_non_exhaustive()
    }
}

/// A public key as terms write it; `None` if it is none, or one that fits signatures of nobody.
pub(crate) fn public_key(text: &str) -> Option<VerifyingKey> {
    let key = VerifyingKey::from_bytes(&bytes(text)?).ok()?;
    // Two texts for one key would let one agent sign as two.
    let canonical = hexadecimal(&key.to_edwards().compress().to_bytes()) == text;
    (canonical && !key.is_weak()).then_some(key)
}

/// Whether a signature fits, by the strict rule: one message, one key, one signature.
pub(crate) fn fits(key: &VerifyingKey, message: &[u8], signature: &[u8; 64]) -> bool {
    key.verify_strict(message, &Signature::from_bytes(signature)).is_ok()
}

/// Lower-case hexadecimal.
#[must_use]
pub fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(if value < 10 { b'0' + value } else { b'a' + value - 10 });
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Bytes from lower-case hexadecimal, which has one way to write them.
#[must_use]
pub fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let text = text.as_bytes();
    if text.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        *byte = 16 * digit(pair[0])? + digit(pair[1])?;
    }
    Some(bytes)
}

/// A digest from its text.
pub(crate) fn digest(text: &str) -> Option<Digest> {
    bytes(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_rfc_8032() {
        // Section 7.1, test 2: one byte, 0x72.
        let secret = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
        let key = AgentKey::new(bytes(secret).unwrap(), [0; 32]);
        let public = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
        assert_eq!(key.public(), public);
        let signature = "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
                         085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
        assert_eq!(key.sign(&[0x72]), signature);
        let known = public_key(public).unwrap();
        let mut signature = bytes(signature).unwrap();
        assert!(fits(&known, &[0x72], &signature));
        assert!(!fits(&known, &[0x73], &signature));
        signature[0] ^= 1;
        assert!(!fits(&known, &[0x72], &signature));
    }

    #[test]
    fn keys_that_fit_any_message_are_refused() {
        // The neutral element and a point of order two.
        for weak in ["01", "ec"] {
            let rest = if weak == "01" { "00".repeat(31) } else { "ff".repeat(30) + "7f" };
            assert!(public_key(&(weak.to_owned() + &rest)).is_none());
        }
        assert!(public_key(&"F".repeat(64)).is_none());
        assert!(public_key("").is_none());
    }

    #[test]
    fn a_key_does_not_show_its_secret() {
        let key = AgentKey::new([7; 32], [9; 32]);
        let shown = format!("{key:?}");
        assert!(shown.contains(&key.public()) && !shown.contains("07, 07"), "{shown}");
    }
}
