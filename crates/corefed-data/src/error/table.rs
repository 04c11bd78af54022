//! Why a file is not a table.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::names::listed;

/// Why a file is not a table, or lacks a column.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file could not be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// Where it was expected.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file was written to while it was read.
    #[error("`{file}` changed while it was read")]
    Changed {
        /// Name of the file.
        file: String,
    },
    /// The file is not the Parquet file its name says.
    #[error("cannot read `{}` as Parquet", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// This build cannot read Parquet.
    #[error("cannot read `{}`: this build was built without the feature `parquet`", path.display())]
    NoParquet {
        /// The file.
        path: PathBuf,
    },
    /// A typed column that is neither numbers nor text.
    #[error("`{file}`: column `{column}` holds `{kind}`, neither numbers nor text")]
    Unsupported {
        /// Name of the file.
        file: String,
        /// The column.
        column: String,
        /// What the file calls it.
        kind: String,
    },
    /// There is not even a header.
    #[error("`{file}` is empty")]
    Empty {
        /// Name of the file.
        file: String,
    },
    /// There is a header and nothing below it.
    #[error("`{file}` has a header but no rows")]
    NoRows {
        /// Name of the file.
        file: String,
    },
    /// A column without a name.
    #[error("`{file}`, line {line}: column {position} of the header has no name")]
    UnnamedColumn {
        /// Name of the file.
        file: String,
        /// Line of the header.
        line: usize,
        /// Which column, from one.
        position: usize,
    },
    /// Two columns with one name.
    #[error("`{file}`, line {line}: the header names column `{column}` twice")]
    DuplicateColumn {
        /// Name of the file.
        file: String,
        /// Line of the header.
        line: usize,
        /// The repeated name.
        column: String,
    },
    /// A row that is longer or shorter than the header.
    #[error("`{file}`, line {line}: expected {expected} cells but found {found}")]
    Ragged {
        /// Name of the file.
        file: String,
        /// Line of the row.
        line: usize,
        /// Cells in the header.
        expected: usize,
        /// Cells in the row.
        found: usize,
    },
    /// Bytes that are not text.
    #[error("`{file}`, line {line}: the text is not UTF-8")]
    NotUtf8 {
        /// Name of the file.
        file: String,
        /// Line of the row.
        line: usize,
    },
    /// A column that something needs is not there.
    #[error("`{file}` has no column `{column}`; it has {}", listed(present))]
    MissingColumn {
        /// Name of the file.
        file: String,
        /// The column asked for.
        column: String,
        /// The columns it has.
        present: Vec<String>,
        /// The column most likely meant.
        nearest: Option<String>,
    },
}

impl TableError {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Read { .. } => Some("is the path right, relative to where you are?".to_owned()),
            Self::Parquet { .. } => {
                Some("is it complete? if it is CSV, rename it to end in `.csv`".to_owned())
            }
            Self::NoParquet { .. } => {
                Some("save the table as CSV, or build with `cargo install --path crates/corefed-cli --features parquet`".to_owned())
            }
            Self::Unsupported { .. } => {
                Some("convert the column, or leave it out with `--column NAME=ignore`".to_owned())
            }
            Self::Changed { .. } => Some("wait until it is complete, and try again".to_owned()),
            Self::Empty { .. } | Self::NoRows { .. } => {
                Some("a table is a header line and one line per sample".to_owned())
            }
            Self::UnnamedColumn { .. } | Self::DuplicateColumn { .. } => Some(
                "every column needs a name of its own; if the file has no header line, add one"
                    .to_owned(),
            ),
            Self::Ragged { .. } => Some(
                "cells are separated by commas; put quotes around a cell that contains one"
                    .to_owned(),
            ),
            Self::NotUtf8 { .. } => Some("save the file as UTF-8".to_owned()),
            Self::MissingColumn { nearest, .. } => {
                nearest.as_ref().map(|name| format!("did you mean `{name}`?"))
            }
        }
    }
}
