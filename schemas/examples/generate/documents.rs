//! Every schema, from the types that write the documents.

use corefed_core::{
    ATTESTED_FORMAT, ATTESTED_VERSION, AttestedCertificate, CERTIFICATE_FORMAT,
    CERTIFICATE_VERSION, Certificate, OWN_MODEL_VERSION, VETO_FORMAT, VETO_VERSION,
    VetoCertificate,
};
use corefed_data::PartitionFile;
use corefed_documents::{
    Answered, AuditDocument, CeilingSearch, Choice, Coalitions, Comparison, Document, Inspection,
    KnownSet, Labels, Partitioned, RunAnswer, SpecChanges, Stay, Sweep, Verified,
};
use corefed_log::{AgentRecord, ExactHeader, FORMAT, RoundRecord, RunHeader, VERSION};
use corefed_run::{AnswersFile, Event, QuestionsFile, Summary};
use corefed_spec::Spec;
use corefed_verify::{SIGNED_FORMAT, SIGNED_VERSION, SignedAttestation};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Names and schemas, in alphabetical order.
pub(crate) fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("agents", plain::<AgentRecord>()),
        ("answered", document::<Answered>()),
        ("answers", document::<AnswersFile>()),
        ("attestation", format::<SignedAttestation>(SIGNED_FORMAT, SIGNED_VERSION)),
        ("attested-certificate", attested()),
        ("audit", document::<AuditDocument>()),
        ("ceiling-search", document::<CeilingSearch>()),
        ("certificate", format::<Certificate>(CERTIFICATE_FORMAT, CERTIFICATE_VERSION)),
        ("choice", document::<Choice>()),
        ("coalition-list", document::<Coalitions>()),
        ("comparison", document::<Comparison>()),
        ("event", plain::<Event<'static>>()),
        ("exact-run", run::<ExactHeader>("exact")),
        ("inspection", document::<Inspection>()),
        ("known-sets", plain::<Vec<KnownSet>>()),
        ("label-count", document::<Labels>()),
        ("partition", plain::<PartitionFile>()),
        ("partitioned", document::<Partitioned>()),
        ("questions", document::<QuestionsFile>()),
        ("rounds", plain::<RoundRecord>()),
        ("run-answer", document::<RunAnswer>()),
        ("spec", Spec::json_schema()),
        ("spec-changes", document::<SpecChanges>()),
        ("stay", document::<Stay>()),
        ("sweep", document::<Sweep>()),
        ("table-summary", document::<Summary>()),
        ("training-run", run::<RunHeader>("training")),
        ("verified", document::<Verified>()),
        ("veto-certificate", format::<VetoCertificate>(VETO_FORMAT, VETO_VERSION)),
    ]
}

/// As it is written.
fn plain<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// With the kind and the version that every document begins with.
fn document<D: Document + JsonSchema>() -> Value {
    beginning::<D>(&[("kind", json!(D::KIND)), ("version", json!(D::VERSION))])
}

/// With the values that the fields `format` and `version` have.
fn format<T: JsonSchema>(format: &str, version: u32) -> Value {
    beginning::<T>(&[("format", json!(format)), ("version", json!(version))])
}

/// With a version for each kind of model.
fn attested() -> Value {
    let mut schema = format::<AttestedCertificate>(ATTESTED_FORMAT, ATTESTED_VERSION);
    schema["properties"]["version"] = json!({ "enum": [ATTESTED_VERSION, OWN_MODEL_VERSION] });
    schema
}

/// A `run.json` of this kind.
fn run<T: JsonSchema>(kind: &str) -> Value {
    let mut schema = beginning::<T>(&[
        ("format", json!(FORMAT)),
        ("version", json!(VERSION)),
        ("kind", json!(kind)),
    ]);
    schema["properties"]["corefed"] = json!({
        "description": "The program that began the run; nothing depends on it.",
        "type": "string",
    });
    schema["required"].as_array_mut().expect("a list").push(json!("corefed"));
    schema
}

/// The schema of `T`, whose documents begin with these fields of these values.
fn beginning<T: JsonSchema>(fields: &[(&str, Value)]) -> Value {
    let mut schema = plain::<T>();
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, value) in fields {
        properties.insert((*name).to_owned(), json!({ "const": value }));
        required.push(json!(name));
    }
    let own = |name: &&Value| fields.iter().all(|(field, _)| **name != json!(field));
    required.extend(schema["required"].as_array().into_iter().flatten().filter(own).cloned());
    for (name, value) in schema["properties"].as_object().into_iter().flatten() {
        properties.entry(name).or_insert_with(|| value.clone());
    }
    schema["properties"] = Value::Object(properties);
    schema["required"] = Value::Array(required);
    schema
}

/// As it is committed.
pub(crate) fn text(schema: &Value) -> String {
    serde_json::to_string_pretty(schema).expect("a schema is JSON") + "\n"
}
