//! Answers that are printed and not kept: what a command did, and where.

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::{AuditDocument, Document};

/// What `corefed run --json` prints about an exact run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunAnswer {
    /// The run folder.
    pub folder: String,
    /// Its page.
    pub report: String,
    /// One audit per rule.
    #[serde(serialize_with = "whole", deserialize_with = "read_whole")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<AuditDocument>"))]
    pub rules: Vec<AuditDocument>,
}

impl Document for RunAnswer {
    const KIND: &'static str = "run-answer";
    const VERSION: u64 = 1;
}

/// Documents in a document say what they are, too.
fn whole<S: Serializer>(audits: &[AuditDocument], to: S) -> Result<S::Ok, S::Error> {
    let values: Result<Vec<Value>, _> = audits.iter().map(Document::to_value).collect();
    values.map_err(S::Error::custom)?.serialize(to)
}

fn read_whole<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<AuditDocument>, D::Error> {
    let values = Vec::<Value>::deserialize(from)?;
    let read = |value: &Value| AuditDocument::parse("rules", &value.to_string());
    values.iter().map(read).collect::<Result<_, _>>().map_err(D::Error::custom)
}

/// What `corefed data partition --json` prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Partitioned {
    /// The partition file.
    pub file: String,
    /// Its SHA-256, in hexadecimal.
    pub digest: String,
    /// SHA-256 of the data it divides.
    pub data: String,
    /// Who got how many rows.
    pub agents: Vec<PartitionedAgent>,
}

impl Document for Partitioned {
    const KIND: &'static str = "partitioned";
    const VERSION: u64 = 1;
}

impl Partitioned {
    /// A file, its digest, that of its data, and who got how many rows.
    #[must_use]
    pub fn new(file: String, [digest, data]: [String; 2], agents: &[(&str, usize)]) -> Self {
        let agent = |&(name, rows): &(&str, usize)| PartitionedAgent { name: name.into(), rows };
        Self { file, digest, data, agents: agents.iter().map(agent).collect() }
    }
}

/// One agent of a partition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartitionedAgent {
    /// Its name.
    pub name: String,
    /// Rows it owns.
    pub rows: usize,
}
