//! Terms and attestations as bytes: what is hashed and what is signed.
//!
//! One layout for every kind of value, so that a second checker can write the same bytes: a count is a
//! `u64`, a number the bits of an `f64`, both little-endian; a text is its count of bytes and its UTF-8; a
//! list is its count and its entries; an optional value is the byte 0, or the byte 1 and the value.

use corefed_core::{
    AgreedModel, Attestation, DateUse, Encoding, Feature, OwnModel, Party, Predictor, Terms,
    UsedRows,
};
use sha2::{Digest as _, Sha256};

use crate::family;

/// A SHA-256.
pub(crate) type Digest = [u8; 32];

/// What an agent's signature begins with.
const PURPOSE: &[u8] = b"corefed-attest-1";

/// SHA-256 of the terms (ledger E87).
pub(crate) fn terms_digest(terms: &Terms) -> Digest {
    let mut bytes = Bytes::default();
    bytes.text("corefed-terms-1");
    match &terms.predictor {
        AgreedModel::Known(predictor) => bytes.predictor(predictor),
        AgreedModel::Own(own) => bytes.own_model(own),
    }
    bytes.list(&terms.agents, Bytes::party);
    bytes.number(terms.tolerance);
    sha256(&bytes.0)
}

/// What an agent signs (ledger E87): the terms, who it is, which rows it has, and every answer with the point
/// that it is about.
pub(crate) fn message(
    terms: &Digest,
    name: &str,
    rows: &Digest,
    attestation: &Attestation,
    points: &[Vec<f64>],
) -> Vec<u8> {
    let mut bytes = Bytes(PURPOSE.to_vec());
    bytes.0.extend(terms);
    bytes.text(name);
    bytes.0.extend(rows);
    bytes.count(attestation.samples);
    bytes.list(&attestation.leaves, |bytes, leaf| {
        bytes.count(leaf.point);
        let mut point = Bytes::default();
        points[leaf.point].iter().for_each(|value| point.number(*value));
        bytes.0.extend(sha256(&point.0));
        bytes.number(leaf.loss);
        bytes.number(leaf.margin);
        bytes.optional(leaf.gradient.as_ref(), |bytes, gradient| {
            bytes.list(&gradient.values, |bytes, value| bytes.number(*value));
            bytes.number(gradient.margin);
        });
    });
    bytes.optional(attestation.worst_loss.as_ref(), |bytes, worst| bytes.number(*worst));
    bytes.0
}

pub(crate) fn sha256(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}

#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn count(&mut self, count: usize) {
        self.0.extend((count as u64).to_le_bytes());
    }

    fn number(&mut self, value: f64) {
        self.0.extend(value.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend(text.as_bytes());
    }

    fn list<T>(&mut self, entries: &[T], write: impl Fn(&mut Self, &T)) {
        self.count(entries.len());
        for entry in entries {
            write(self, entry);
        }
    }

    fn optional<T: ?Sized>(&mut self, value: Option<&T>, write: impl Fn(&mut Self, &T)) {
        self.0.push(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }

    fn predictor(&mut self, predictor: &Predictor) {
        self.text(family::name(predictor.family));
        self.number(predictor.l2);
        self.number(predictor.radius);
        self.encoding(&predictor.encoding);
        self.list(&predictor.parameters, |bytes, value| bytes.number(*value));
    }

    /// No family is called `own`.
    fn own_model(&mut self, model: &OwnModel) {
        self.text("own");
        self.text(&model.own);
        self.number(model.l2);
        self.number(model.radius);
        self.list(&model.parameters, |bytes, value| bytes.number(*value));
    }

    fn encoding(&mut self, encoding: &Encoding) {
        self.text(&encoding.agent_column);
        self.text(&encoding.target_column);
        self.optional(encoding.exposure_column.as_deref(), Self::text);
        self.list(&encoding.classes, |bytes, class| bytes.text(class));
        self.optional(encoding.target_scale.as_ref(), |bytes, scale| {
            bytes.number(scale.mean);
            bytes.number(scale.scale);
        });
        self.list(&encoding.intake.na, |bytes, word| bytes.text(word));
        self.list(&encoding.intake.dates, |bytes, date| {
            bytes.text(&date.column);
            bytes.text(match date.becomes {
                DateUse::Days => "days",
                DateUse::Parts => "parts",
            });
        });
        self.text(match encoding.intake.rows {
            UsedRows::All => "all",
            UsedRows::Labelled => "labelled",
            UsedRows::Complete => "complete",
        });
        self.list(&encoding.features, Self::feature);
    }

    fn feature(&mut self, feature: &Feature) {
        match feature {
            Feature::Numeric { column, mean, scale, missing } => {
                self.text("numeric");
                self.text(column);
                self.number(*mean);
                self.number(*scale);
                self.optional(missing.as_ref(), |bytes, value| bytes.number(*value));
            }
            Feature::Level { column, level } => {
                self.text("level");
                self.text(column);
                self.text(level);
            }
            Feature::Intercept => self.text("intercept"),
        }
    }

    fn party(&mut self, party: &Party) {
        self.text(&party.name);
        self.number(party.weight);
        self.number(party.ceiling);
        self.text(&party.policy);
        self.optional(party.key.as_deref(), Self::text);
    }
}
