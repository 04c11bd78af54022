//! Seeds: where all randomness comes from, always as an argument.
//!
//! A seed derives further seeds by label or by index, so that every draw has a stream of its
//! own: agents, classes and attempts do not share a generator, and changing what one of them
//! draws leaves the others as they were. Deriving is the first eight bytes, little-endian, of
//! SHA-256 over a tag, the parent and the label, so it is the same everywhere and for ever.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A number that decides every draw made from it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Seed(pub u64);

impl Seed {
    /// The seed for a named purpose.
    ///
    /// ```
    /// # use corefed_core::Seed;
    /// assert_eq!(Seed(7).derive("shuffle"), Seed(7).derive("shuffle"));
    /// assert_ne!(Seed(7).derive("shuffle"), Seed(7).derive("noise"));
    /// ```
    #[must_use]
    pub fn derive(&self, label: &str) -> Self {
        self.child(b"label", label.as_bytes())
    }

    /// The seed of one of many: an agent, a class, an attempt.
    #[must_use]
    pub fn derive_index(&self, index: u64) -> Self {
        self.child(b"index", &index.to_le_bytes())
    }

    /// A generator at the start of this seed's stream.
    ///
    /// The key is a digest, not `seed_from_u64`, whose expansion belongs to a library.
    #[must_use]
    pub fn rng(&self) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(self.hash(b"chacha", &[]))
    }

    fn child(self, tag: &[u8], label: &[u8]) -> Self {
        let [a, b, c, d, e, f, g, h, ..] = self.hash(tag, label);
        Self(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
    }

    /// Tags differ before their lengths do, and the parent has eight bytes, so no two requests
    /// hash the same text.
    fn hash(self, tag: &[u8], label: &[u8]) -> [u8; 32] {
        let hasher = Sha256::new().chain_update(tag).chain_update(self.0.to_le_bytes());
        hasher.chain_update(label).finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand_chacha::rand_core::Rng;

    use super::*;

    #[test]
    fn derivation_is_the_documented_digest() {
        // `printf 'label\x07\0\0\0\0\0\0\0shuffle' | sha256sum` begins with these bytes, reversed.
        assert_eq!(Seed(7).derive("shuffle"), Seed(0x8940_7c24_1695_6eac));
    }

    #[test]
    fn labels_indices_and_parents_all_lead_elsewhere() {
        let mut seen = BTreeSet::new();
        for parent in [Seed(0), Seed(1)] {
            for label in ["", "a", "b", "ab", "\0\0\0\0\0\0\0\0"] {
                assert!(seen.insert(parent.derive(label)), "{parent:?} {label}");
            }
            for index in 0..100 {
                assert!(seen.insert(parent.derive_index(index)), "{parent:?} {index}");
            }
        }
    }

    #[test]
    fn equal_seeds_give_equal_streams() {
        let draw = |seed: u64| {
            let mut rng = Seed(seed).rng();
            [(); 4].map(|()| rng.next_u64())
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
