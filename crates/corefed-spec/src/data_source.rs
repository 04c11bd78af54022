//! Where rows come from.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use corefed_data::source::catalogue;

use crate::TextError;

/// A known set or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataSource {
    /// A set of the catalogue, published or generated.
    Known(&'static str),
    /// A table of the user's own.
    File(PathBuf),
}

impl DataSource {
    /// The name of a known set.
    #[must_use]
    pub fn known(&self) -> Option<&'static str> {
        match self {
            Self::Known(name) => Some(name),
            Self::File(_) => None,
        }
    }

    /// The path of a file.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Known(_) => None,
            Self::File(path) => Some(path),
        }
    }
}

impl FromStr for DataSource {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        if is_file(text) {
            return Ok(Self::File(text.into()));
        }
        let known = catalogue::ENTRIES.iter().find(|entry| entry.name == text);
        known
            .map(|entry| Self::Known(entry.name))
            .ok_or_else(|| TextError::DataSet { name: text.to_owned() })
    }
}

impl fmt::Display for DataSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(name) => f.write_str(name),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Anything with an extension or a slash was meant as a file, existing or not: the reader of the
/// file says what is wrong with it.
pub(crate) fn is_file(text: &str) -> bool {
    text.contains(['.', '/', '\\'])
}
