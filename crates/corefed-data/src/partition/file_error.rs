//! Why a partition file cannot be used.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::PartitionError;

/// The `format` of every partition file.
pub(super) const FORMAT: &str = "corefed-partition";
/// The only `version` there is.
pub(super) const VERSION: u64 = 1;

/// Why a partition file cannot be read, or used with some data.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PartitionFileError {
    /// The file could not be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// Where it was expected.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Not JSON, or not the fields of a partition.
    #[error("`{file}`, line {}, column {}: not a partition file", source.line(), source.column())]
    Json {
        /// Name of the file.
        file: String,
        /// What the parser said.
        source: serde_json::Error,
    },
    /// A document of another kind.
    #[error("`{file}` has format `{found}`, not `{FORMAT}`")]
    Format {
        /// Name of the file.
        file: String,
        /// The format it names.
        found: String,
    },
    /// A document from another version.
    #[error("`{file}` has version `{found}` but only version `{VERSION}` can be read")]
    Version {
        /// Name of the file.
        file: String,
        /// The version it names.
        found: u64,
    },
    /// The rows are not divided.
    #[error("`{file}` does not divide its rows")]
    Partition {
        /// Name of the file.
        file: String,
        /// What is wrong with the assignment.
        source: PartitionError,
    },
    /// The digest of the data is not the digest of anything.
    #[error("the data digest `{found}` is not 64 lower-case hexadecimal digits")]
    DataDigest {
        /// What is there instead.
        found: String,
    },
    /// The file was changed after it was written.
    #[error("`{file}` has digest `{recorded}` but its contents have `{actual}`")]
    Digest {
        /// Name of the file.
        file: String,
        /// What the file says.
        recorded: String,
        /// What its contents give.
        actual: String,
    },
    /// The data have another size.
    #[error("the partition divides `{drawn}` rows but the data have `{present}`")]
    Rows {
        /// Rows the partition was drawn for.
        drawn: usize,
        /// Rows of the data at hand.
        present: usize,
    },
    /// The data have the right size and other contents.
    #[error("the partition was drawn from data `{drawn}` but these are `{present}`")]
    Data {
        /// Digest of the data it was drawn from.
        drawn: String,
        /// Digest of the data at hand.
        present: String,
    },
}

impl PartitionFileError {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Read { .. } => "is the path right, relative to where you are?",
            Self::Json { source, .. } => return Some(source.to_string()),
            Self::Format { .. } => "partition files are written by `corefed data partition`",
            Self::Version { .. } => "draw the partition again with this version of corefed",
            Self::Partition { source, .. } => return source.hint(),
            Self::DataDigest { .. } => "it is the SHA-256 of the data",
            Self::Digest { .. } => "the file was edited; draw it again or ask for the original",
            Self::Rows { .. } | Self::Data { .. } => {
                "rows are counted in the order of the data; draw the partition again"
            }
        };
        Some(hint.to_owned())
    }
}
