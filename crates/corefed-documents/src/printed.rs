//! Answers that are printed and not kept: what a command did, and where.

use serde::Serialize;
use serde_json::Value;

use crate::{AuditDocument, Document, DocumentError};

/// What `corefed run --json` prints about an exact run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunAnswer {
    /// The run folder.
    pub folder: String,
    /// Its page.
    pub report: String,
    /// One audit per rule.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<AuditDocument>"))]
    pub rules: Vec<Value>,
}

impl RunAnswer {
    /// The answer about a run with these audits.
    pub fn new(
        folder: String,
        report: String,
        audits: &[AuditDocument],
    ) -> Result<Self, DocumentError> {
        let rules = audits.iter().map(Document::to_value).collect::<Result<_, _>>()?;
        Ok(Self { folder, report, rules })
    }
}

/// What `corefed data partition --json` prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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

impl Partitioned {
    /// A file, its digest, that of its data, and who got how many rows.
    #[must_use]
    pub fn new(file: String, [digest, data]: [String; 2], agents: &[(&str, usize)]) -> Self {
        let agent = |&(name, rows): &(&str, usize)| PartitionedAgent { name: name.into(), rows };
        Self { file, digest, data, agents: agents.iter().map(agent).collect() }
    }
}

/// One agent of a partition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartitionedAgent {
    /// Its name.
    pub name: String,
    /// Rows it owns.
    pub rows: usize,
}
