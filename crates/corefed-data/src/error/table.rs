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
    /// A line, or a record that quotes hold together, is too long to be a row.
    #[error("`{file}`, line {line}: longer than {most} bytes")]
    LongLine {
        /// Name of the file.
        file: String,
        /// Line of the file, from one.
        line: usize,
        /// The longest that is read.
        most: usize,
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
    /// A Parquet file under another name, or where only text is read.
    #[error("`{file}` is a Parquet file where text is expected")]
    ParquetName {
        /// Name of the file.
        file: String,
    },
    /// A workbook, or another archive.
    #[error("`{file}` is a spreadsheet (.xlsx, .ods) or an archive, not a table of text")]
    Spreadsheet {
        /// Name of the file.
        file: String,
    },
    /// Two bytes for a character.
    #[error("`{file}` is written in UTF-16")]
    Utf16 {
        /// Name of the file.
        file: String,
    },
    /// A compressed file that is damaged.
    #[error("`{file}` cannot be unpacked")]
    Packed {
        /// Name of the file.
        file: String,
        /// What is wrong with it.
        source: io::Error,
    },
    /// A compressed file that would fill the memory.
    #[error("`{file}` unpacks to more than {most} bytes")]
    Bomb {
        /// Name of the file.
        file: String,
        /// What it may unpack to.
        most: u64,
    },
    /// A Parquet file that would fill the memory.
    #[error("`{}` says that it holds {cells} cells, more than the {most} that its size allows", path.display())]
    Cells {
        /// The file.
        path: PathBuf,
        /// What it says.
        cells: u64,
        /// What it may hold.
        most: u64,
    },
    /// This build cannot unpack zstd.
    #[error(
        "cannot unpack `{file}`: this build was built without the feature `parquet`, which brings zstd"
    )]
    NoZstd {
        /// Name of the file.
        file: String,
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
    /// Told how text is written, of a file that is none.
    #[error("`{file}` is Parquet, which has no separators and no decimal marks")]
    NoWriting {
        /// Name of the file.
        file: String,
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
        /// What cells are separated by.
        separator: char,
    },
    /// Bytes that are not text.
    #[error("`{file}`, line {line}{}: the text is not UTF-8{}", in_column(cell.as_ref()), as_latin1(cell.as_ref()))]
    NotUtf8 {
        /// Name of the file.
        file: String,
        /// Line of the row.
        line: usize,
        /// Column, and what the cell would be in Latin-1.
        cell: Option<(String, String)>,
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
            Self::Read { path, .. } if path.to_string_lossy().contains("://") => {
                Some("download it first: files are read, addresses are not".to_owned())
            }
            Self::LongLine { .. } => Some(
                "is it a table with line ends? a quote that is never closed joins all lines after it".to_owned(),
            ),
            Self::Read { .. } => Some("is the path right, relative to where you are?".to_owned()),
            Self::Parquet { .. } => {
                Some("is it complete? if it is CSV, rename it to end in `.csv`".to_owned())
            }
            Self::NoParquet { .. } => {
                Some("save the table as CSV, or build with `cargo install --path crates/corefed-cli --features parquet`".to_owned())
            }
            Self::NoWriting { .. } => {
                Some("drop `@separator` and `@decimal`; they go with files of text".to_owned())
            }
            Self::Unsupported { .. } => {
                Some("convert the column, or leave it out with `@column NAME=ignore`".to_owned())
            }
            Self::Changed { .. } => Some("wait until it is complete, and try again".to_owned()),
            Self::Empty { .. } | Self::NoRows { .. } => {
                Some("a table is a header line and one line per sample".to_owned())
            }
            Self::UnnamedColumn { .. } | Self::DuplicateColumn { .. } => Some(
                "every column needs a name of its own; if the file has no header line, add one"
                    .to_owned(),
            ),
            Self::Ragged { separator, .. } => {
                let by = match separator {
                    ';' => "semicolons",
                    '\t' => "tabs",
                    '|' => "bars",
                    _ => "commas",
                };
                Some(format!(
                    "cells are separated by {by}; put quotes around a cell that contains one, or name what \
                     separates them with `@separator`"
                ))
            }
            Self::NotUtf8 { .. } => Some(
                "save the file as UTF-8, or convert it: `iconv -f latin1 -t utf-8 OLD > NEW`".to_owned(),
            ),
            Self::Utf16 { .. } => Some(
                "save the file as UTF-8 (in Excel: CSV UTF-8), or convert it: `iconv -f utf-16 -t utf-8 OLD > NEW`"
                    .to_owned(),
            ),
            Self::Spreadsheet { .. } => Some(
                "open it and save the sheet as CSV (in Excel: CSV UTF-8), or in Python: \
                 `pandas.read_excel(FILE).to_csv(\"table.csv\", index=False)`"
                    .to_owned(),
            ),
            Self::ParquetName { file } if file.ends_with(".parquet") => {
                Some("a table of this kind is read from text only; save it as CSV".to_owned())
            }
            Self::ParquetName { .. } => Some("rename it to end in `.parquet`".to_owned()),
            Self::Packed { .. } => Some("is it complete? try `gzip -t` or `zstd -t`".to_owned()),
            Self::Bomb { .. } => Some(
                "if that is really the table, unpack it first (`gunzip -k` or `unzstd`); plain files have no limit"
                    .to_owned(),
            ),
            Self::Cells { .. } => {
                Some("if that is really the table, save it as CSV; plain files have no limit".to_owned())
            }
            Self::NoZstd { .. } => Some("unpack it with `unzstd`, or use gzip".to_owned()),
            Self::MissingColumn { nearest: Some(name), .. } => Some(format!("did you mean `{name}`?")),
            Self::MissingColumn { present, .. } if present.iter().any(|name| name.contains([';', '|', '\t'])) => {
                Some("if these are several columns, name what separates them with `@separator`, such as `@separator ;`".to_owned())
            }
            Self::MissingColumn { present, .. } => {
                let number = present.iter().find(|name| name.parse::<f64>().is_ok());
                Some(match number {
                    Some(name) => format!(
                        "`{name}` is not a name: if the file has no header line, add one with the names of the columns"
                    ),
                    None => "name one of these columns; `corefed data inspect FILE` shows what they hold".to_owned(),
                })
            }
        }
    }
}

fn in_column(cell: Option<&(String, String)>) -> String {
    cell.map(|(column, _)| format!(", column `{column}`")).unwrap_or_default()
}

fn as_latin1(cell: Option<&(String, String)>) -> String {
    cell.map(|(_, text)| format!("; in Latin-1 it would be `{text}`")).unwrap_or_default()
}
