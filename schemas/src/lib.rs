//! JSON Schemas of every document that CoreFed writes, and of specs.
//!
//! They are generated from the types that write the documents and are committed beside this file:
//! `cargo run -p corefed-schemas --example generate` writes them again, and a test compares. This
//! library is their text, so that `corefed schema NAME` can print them. `docs/versions.md` says what a
//! version promises.

/// Every schema by its name, in alphabetical order.
pub const SCHEMAS: [(&str, &str); 29] = [
    ("agents", include_str!("../agents.schema.json")),
    ("answered", include_str!("../answered.schema.json")),
    ("answers", include_str!("../answers.schema.json")),
    ("attestation", include_str!("../attestation.schema.json")),
    ("attested-certificate", include_str!("../attested-certificate.schema.json")),
    ("audit", include_str!("../audit.schema.json")),
    ("ceiling-search", include_str!("../ceiling-search.schema.json")),
    ("certificate", include_str!("../certificate.schema.json")),
    ("choice", include_str!("../choice.schema.json")),
    ("coalition-list", include_str!("../coalition-list.schema.json")),
    ("comparison", include_str!("../comparison.schema.json")),
    ("event", include_str!("../event.schema.json")),
    ("exact-run", include_str!("../exact-run.schema.json")),
    ("inspection", include_str!("../inspection.schema.json")),
    ("known-sets", include_str!("../known-sets.schema.json")),
    ("label-count", include_str!("../label-count.schema.json")),
    ("partition", include_str!("../partition.schema.json")),
    ("partitioned", include_str!("../partitioned.schema.json")),
    ("questions", include_str!("../questions.schema.json")),
    ("rounds", include_str!("../rounds.schema.json")),
    ("run-answer", include_str!("../run-answer.schema.json")),
    ("spec", include_str!("../spec.schema.json")),
    ("spec-changes", include_str!("../spec-changes.schema.json")),
    ("stay", include_str!("../stay.schema.json")),
    ("sweep", include_str!("../sweep.schema.json")),
    ("table-summary", include_str!("../table-summary.schema.json")),
    ("training-run", include_str!("../training-run.schema.json")),
    ("verified", include_str!("../verified.schema.json")),
    ("veto-certificate", include_str!("../veto-certificate.schema.json")),
];

/// The schema of this name, as JSON text.
///
/// ```
/// assert!(corefed_schemas::schema("certificate").is_some_and(|text| text.contains("\"claim\"")));
/// assert_eq!(corefed_schemas::schema("certificates"), None);
/// ```
#[must_use]
pub fn schema(name: &str) -> Option<&'static str> {
    SCHEMAS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
