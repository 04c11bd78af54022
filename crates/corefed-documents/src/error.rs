//! What can go wrong between a document and its file.

use std::io;
use std::path::PathBuf;

use corefed_core::JsonTooLarge;
use thiserror::Error;

/// Why a document could not be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The text would take too much memory.
    #[error("`{what}` is not read")]
    TooLarge {
        /// Where the text came from.
        what: String,
        /// Why.
        source: JsonTooLarge,
    },
    /// The text is not JSON, or not of the fields that its kind has.
    #[error("`{what}` is not the JSON of {}", with_article(expected))]
    Json {
        /// Where the text came from.
        what: String,
        /// The kind that was asked for.
        expected: &'static str,
        /// What JSON said.
        source: serde_json::Error,
    },
    /// The document is of another kind.
    #[error("`{what}` is {}, not {}", with_article(found), with_article(expected))]
    Kind {
        /// Where the text came from.
        what: String,
        /// The kind that was asked for.
        expected: &'static str,
        /// The kind that it says it is.
        found: String,
    },
    /// The document was written by a later program.
    #[error("`{what}` is of version {found}; this program reads up to version {known}")]
    Version {
        /// Where the text came from.
        what: String,
        /// Its version.
        found: u64,
        /// The latest that is read.
        known: u64,
    },
    /// A value has no form in JSON.
    #[error("cannot write {}", with_article(kind))]
    Write {
        /// The kind of document.
        kind: &'static str,
        /// What JSON said.
        source: serde_json::Error,
    },
}

impl DocumentError {
    pub(crate) fn write(kind: &'static str, source: serde_json::Error) -> Self {
        Self::Write { kind, source }
    }

    /// What to do about it, where that is known.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Json { expected: "audit", .. } | Self::Kind { expected: "audit", .. } => Some(
                "give a run folder, or what `corefed solve --json` or `corefed audit --json` printed",
            ),
            Self::Version { .. } => Some("update corefed: the document comes from a later version"),
            _ => None,
        }
    }
}

/// `an audit`, `a sweep`.
fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}
