//! What can be wrong with the files of a published set.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::TableError;
use crate::images::ImagesError;
use crate::names::{excerpt, listed};

/// Why the files of a published set cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// A file could not be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// Where it was expected.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A link leads out of the data folder.
    #[error(
        "`{}` is a link that leads out of the data folder, to `{}`", path.display(),
        target.as_deref().unwrap_or(Path::new("nowhere")).display()
    )]
    Link {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        target: Option<PathBuf>,
    },
    /// None of the names under which a file may go is there.
    #[error("`{}` has none of {}", folder.display(), listed(names))]
    Missing {
        /// Where it was expected.
        folder: PathBuf,
        /// Its possible names.
        names: Vec<String>,
        /// The set it belongs to.
        set: &'static str,
    },
    /// A file of a published set is another one.
    #[error("`{set}`: `{}` {reason}", path.display())]
    NotPublished {
        /// The set.
        set: &'static str,
        /// The file.
        path: PathBuf,
        /// How it differs.
        reason: String,
    },
    /// A file holds more than any published one of its kind, several times over.
    #[error("`{file}` holds more than {most} bytes")]
    Swollen {
        /// Name of the file.
        file: String,
        /// The most that is read.
        most: u64,
    },
    /// The compressed stream ends early or contradicts its checksum.
    #[error("`{file}`: the gzip stream is damaged")]
    Gzip {
        /// Name of the file.
        file: String,
        /// What the decoder said.
        source: io::Error,
    },
    /// Another kind of file.
    #[error("`{file}` starts with the number {found:#010x}, expected {expected:#010x}")]
    Magic {
        /// Name of the file.
        file: String,
        /// The number of this kind of file.
        expected: u32,
        /// The number it starts with.
        found: u32,
    },
    /// Zero images, images without pixels, or more than memory has addresses.
    #[error("`{file}` claims {count} images of {height} x {width} pixels")]
    Dimensions {
        /// Name of the file.
        file: String,
        /// Images, by the header.
        count: u32,
        /// Rows, by the header.
        height: u32,
        /// Pixels in a row, by the header.
        width: u32,
    },
    /// The file ends before what its header promises.
    #[error("`{file}` is cut short: expected {expected} bytes but found {found}")]
    Truncated {
        /// Name of the file.
        file: String,
        /// Bytes the header calls for, after decompression.
        expected: u64,
        /// Bytes there are.
        found: u64,
    },
    /// The header says more than so small a compressed file can hold.
    #[error("`{file}` claims {expected} bytes, more than its {stored} compressed bytes can hold")]
    Implausible {
        /// Name of the file.
        file: String,
        /// Bytes the header calls for, after decompression.
        expected: u64,
        /// Bytes of the file.
        stored: u64,
    },
    /// The file continues after what its header promises.
    #[error("`{file}` continues after the {expected} bytes its header calls for")]
    Oversized {
        /// Name of the file.
        file: String,
        /// Bytes the header calls for, after decompression.
        expected: u64,
    },
    /// The file is not a whole number of records.
    #[error("`{file}` has {found} bytes, which is not a positive multiple of {record}")]
    Records {
        /// Name of the file.
        file: String,
        /// Bytes per record.
        record: usize,
        /// Bytes of the file.
        found: u64,
    },
    /// Images and labels come in different numbers.
    #[error("`{images_file}` has {images} images but `{labels_file}` has {labels} labels")]
    Counts {
        /// The file of images.
        images_file: String,
        /// Images in it.
        images: usize,
        /// The file of labels.
        labels_file: String,
        /// Labels in it.
        labels: usize,
    },
    /// A label outside the classes.
    #[error("`{file}`: sample {index} has label {label}, expected 0 to {}", classes.saturating_sub(1))]
    Label {
        /// Name of the file.
        file: String,
        /// Which sample of the file, from zero.
        index: usize,
        /// Its label.
        label: u8,
        /// Number of classes.
        classes: u8,
    },
    /// Training and test images of different shapes.
    #[error(
        "`{}`: training images are {} x {} pixels but test images {} x {}",
        folder.display(), train.0, train.1, test.0, test.1
    )]
    Shapes {
        /// The folder of both.
        folder: PathBuf,
        /// Height and width of training images.
        train: (usize, usize),
        /// Height and width of test images.
        test: (usize, usize),
    },
    /// A cell that its column does not allow.
    #[error(
        "`{file}`, line {line}, column `{column}`: expected {expected} but found `{}`",
        excerpt(found)
    )]
    Cell {
        /// Name of the file.
        file: String,
        /// Line of the file, from one.
        line: usize,
        /// Name of the column.
        column: &'static str,
        /// What the column allows.
        expected: &'static str,
        /// The cell.
        found: String,
    },
    /// The rows do not form a table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Pixels and labels do not form images.
    #[error(transparent)]
    Images(#[from] ImagesError),
}

impl SourceError {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Read { .. } => Some("is the data folder right, and may you read it?".to_owned()),
            Self::Link { .. } => Some(
                "who made the folder could have other files read or overwritten: put the files in its \
                 place, or name their folder with `@data-dir`"
                    .to_owned(),
            ),
            Self::Missing { set, .. } => Some(format!(
                "`corefed data fetch {set}` downloads it; `@data-dir` or COREFED_DATA says where \
                 it is"
            )),
            Self::NotPublished { set, .. } => Some(format!(
                "`corefed data fetch {set}` downloads it again; `@allow damaged`, or `allow = \
                 [\"damaged\"]` in a spec, takes it as it is"
            )),
            Self::Swollen { .. } => Some("it is not a file of a published set".to_owned()),
            Self::Magic { found, .. } if printable(*found) => Some(
                "it looks like text, perhaps an error page saved under the wrong name".to_owned(),
            ),
            Self::Magic { .. } | Self::Counts { .. } => {
                Some("are images and labels mixed up, or training and test files?".to_owned())
            }
            Self::Table(TableError::Ragged { .. }) | Self::Cell { .. } => {
                Some("is this the file as published? it has no header line".to_owned())
            }
            Self::Table(error) => error.hint(),
            Self::Images(_) => None,
            _ => Some("the file is damaged or not the published one; fetch it again".to_owned()),
        }
    }
}

/// Whether the first bytes of a file could begin a text.
fn printable(word: u32) -> bool {
    word.to_be_bytes().iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
}
