//! What can be wrong with data, with the place where it is wrong. Errors know no table and no encoding, so that both can return them.

mod agent_value;
mod cell;
mod cross_site;
mod encoding;
mod fit;
mod place;
mod source;
mod table;
mod utility;

use thiserror::Error;

pub use agent_value::AgentValueError;
pub use cell::CellError;
pub use cross_site::{CrossSiteError, Measurement};
pub use encoding::EncodingError;
pub use fit::FitError;
pub use place::{Numbering, Place};
pub use source::SourceError;
pub use table::TableError;
pub use utility::UtilityError;

use crate::check::CheckError;
use crate::corrupt::CorruptError;
use crate::design::DesignError;
use crate::images::ImagesError;
use crate::partition::{DivisionError, PartitionError, PartitionFileError};
use crate::shapes::ShapesError;
use crate::split::SplitError;
use crate::synthetic::SyntheticError;

/// Why data cannot be used. Every variant has its own enum, which carries the values.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DataError {
    /// The file is not a table, or lacks a column.
    #[error(transparent)]
    Table(#[from] TableError),
    /// One cell cannot be encoded.
    #[error(transparent)]
    Cell(#[from] CellError),
    /// The table as a whole cannot be encoded.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The data are usable but suspect, and the suspicion was not waived.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// The encoding of a stored predictor contradicts itself.
    #[error(transparent)]
    Encoding(#[from] EncodingError),
    /// Weights or ceilings do not fit the agents.
    #[error(transparent)]
    AgentValue(#[from] AgentValueError),
    /// A table of utilities cannot be used.
    #[error(transparent)]
    Utility(#[from] UtilityError),
    /// A cross-site evaluation cannot be used.
    #[error(transparent)]
    CrossSite(#[from] CrossSiteError),
    /// Encoded rows do not form a design matrix.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// A division is not what its method takes.
    #[error(transparent)]
    Division(#[from] DivisionError),
    /// Rows cannot be divided as asked.
    #[error(transparent)]
    Partition(#[from] PartitionError),
    /// A partition file cannot be used.
    #[error(transparent)]
    PartitionFile(#[from] PartitionFileError),
    /// Agents cannot be corrupted as asked.
    #[error(transparent)]
    Corrupt(#[from] CorruptError),
    /// No rows can be held out for testing.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// Bytes are not labelled images.
    #[error(transparent)]
    Images(#[from] ImagesError),
    /// No such federation can be generated.
    #[error(transparent)]
    Synthetic(#[from] SyntheticError),
    /// No such images can be drawn.
    #[error(transparent)]
    Shapes(#[from] ShapesError),
    /// The files of a published set cannot be used.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl DataError {
    /// What the reader can do about it, to be printed on a `hint:` line of its own.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Table(error) => error.hint(),
            Self::Cell(error) => error.hint(),
            Self::Fit(error) => error.hint(),
            Self::Check(error) => Some(error.hint()),
            Self::Encoding(error) => Some(error.hint()),
            Self::AgentValue(error) => error.hint(),
            Self::Utility(error) => error.hint(),
            Self::CrossSite(error) => error.hint(),
            Self::Design(_) => None,
            Self::Division(error) => Some(error.hint()),
            Self::Partition(error) => error.hint(),
            Self::PartitionFile(error) => error.hint(),
            Self::Corrupt(error) => error.hint(),
            Self::Split(error) => error.hint(),
            Self::Images(error) => error.hint(),
            Self::Synthetic(error) => error.hint(),
            Self::Shapes(error) => error.hint(),
            Self::Source(error) => error.hint(),
        }
    }
}
