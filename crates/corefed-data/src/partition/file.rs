//! A partition written down, so that others use the very same split.
//!
//! A JSON document with the method, its seed, the digest of the data, the assignment in full
//! and a digest of it all. The assignment is what counts: a reader needs no generator, and the
//! method and seed are there for anybody who wants to draw it again.

use std::path::Path;

use corefed_core::{LARGEST_JSON, read_bytes};
use serde::{Deserialize, Serialize};

use super::file_error::{FORMAT, VERSION};
use super::{AgentRows, Method, Partition, PartitionFileError};
use crate::names::excerpt;
use corefed_core::Seed;

/// A partition with its origin, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionFile {
    method: Method,
    seed: Seed,
    data: String,
    partition: Partition,
}

/// The JSON document, field by field.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    version: u64,
    method: Method,
    seed: Seed,
    /// SHA-256 of the data, in hexadecimal.
    data: String,
    rows: usize,
    agents: Vec<AgentRows>,
    /// SHA-256 of everything above, see [`PartitionFile::digest`].
    digest: String,
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for PartitionFile {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PartitionFile".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Document::json_schema(generator)
    }
}

/// What is looked at first: a later version may have any other fields.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u64,
}

impl PartitionFile {
    /// Joins a partition to its origin. `data` is the SHA-256 of the data, in hexadecimal.
    pub fn new(
        method: Method,
        seed: Seed,
        data: String,
        partition: Partition,
    ) -> Result<Self, PartitionFileError> {
        let digits = data.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if !(digits && data.len() == 64) {
            return Err(PartitionFileError::DataDigest { found: excerpt(&data) });
        }
        Ok(Self { method, seed, data, partition })
    }

    /// Reads and checks a file.
    pub fn read(path: &Path) -> Result<Self, PartitionFileError> {
        let bytes = read_bytes(path, LARGEST_JSON)
            .map_err(|source| PartitionFileError::Read { path: path.to_owned(), source })?;
        Self::parse(&path.display().to_string(), &bytes)
    }

    /// Checks the contents of a file; `file` is its name in messages.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, PartitionFileError> {
        let json = |source| PartitionFileError::Json { file: file.to_owned(), source };
        let Header { format, version } = serde_json::from_slice(bytes).map_err(json)?;
        if format != FORMAT {
            let found = excerpt(&format);
            return Err(PartitionFileError::Format { file: file.to_owned(), found });
        }
        if version != VERSION {
            return Err(PartitionFileError::Version { file: file.to_owned(), found: version });
        }
        let document: Document = serde_json::from_slice(bytes).map_err(json)?;
        let Document { method, seed, data, rows, agents, digest: recorded, .. } = document;
        let partition = Partition::new(rows, agents)
            .map_err(|source| PartitionFileError::Partition { file: file.to_owned(), source })?;
        let read = Self::new(method, seed, data, partition)?;
        let actual = read.digest();
        if recorded != actual {
            let (file, recorded) = (file.to_owned(), excerpt(&recorded));
            return Err(PartitionFileError::Digest { file, recorded, actual });
        }
        Ok(read)
    }

    /// The document: one line of JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let document = Document {
            format: FORMAT.to_owned(),
            version: VERSION,
            method: self.method.clone(),
            seed: self.seed,
            data: self.data.clone(),
            rows: self.partition.rows(),
            agents: self.partition.agents().to_vec(),
            digest: self.digest(),
        };
        json_text(&document) + "\n"
    }

    /// Refuses data that the partition was not drawn from.
    pub fn check_against(&self, rows: usize, data: &str) -> Result<(), PartitionFileError> {
        let drawn = self.partition.rows();
        if drawn != rows {
            return Err(PartitionFileError::Rows { drawn, present: rows });
        }
        if self.data != data {
            let (drawn, present) = (self.data.clone(), excerpt(data));
            return Err(PartitionFileError::Data { drawn, present });
        }
        Ok(())
    }

    /// SHA-256 of the contents, in hexadecimal: format and version, the method as JSON, then seed,
    /// data digest, rows and agents. Numbers are 8 bytes little-endian, rows of agents 4, and
    /// texts and lists follow their lengths, so that no two contents read the same.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut bytes = Vec::new();
        let number = |bytes: &mut Vec<u8>, n: usize| bytes.extend((n as u64).to_le_bytes());
        let text = |bytes: &mut Vec<u8>, text: &str| {
            number(bytes, text.len());
            bytes.extend(text.as_bytes());
        };
        text(&mut bytes, FORMAT);
        bytes.extend(VERSION.to_le_bytes());
        text(&mut bytes, &json_text(&self.method));
        bytes.extend(self.seed.0.to_le_bytes());
        text(&mut bytes, &self.data);
        number(&mut bytes, self.partition.rows());
        number(&mut bytes, self.partition.agents().len());
        for agent in self.partition.agents() {
            text(&mut bytes, &agent.name);
            number(&mut bytes, agent.rows.len());
            bytes.extend(agent.rows.iter().flat_map(|row| row.to_le_bytes()));
        }
        corefed_core::digest_bytes(&bytes)
    }

    /// How the partition was drawn.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// What it was drawn with.
    #[must_use]
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// SHA-256 of the data it was drawn from, in hexadecimal.
    #[must_use]
    pub fn data(&self) -> &str {
        &self.data
    }

    /// The partition itself.
    #[must_use]
    pub fn partition(&self) -> &Partition {
        &self.partition
    }
}

/// Structures of texts and numbers without maps, which always have a JSON form.
fn json_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests;
