//! What one cell says, read as a number.

pub use corefed_core::LARGEST;
use corefed_core::{is_hole, is_na};

/// Whether a cell may hold this number; `NaN` is none.
pub(crate) fn is_within_limit(value: f64) -> bool {
    value.abs() <= LARGEST
}

/// What one cell says, read as a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reading {
    /// A number of at most [`LARGEST`].
    Finite(f64),
    /// An infinity, or a number beyond [`LARGEST`].
    NotFinite,
    /// Empty, or the `?` of UCI files.
    Missing,
    /// A word that programs write for a missing value: `NA`, `NaN`, `null`, `.`, `-`. In a column
    /// that was declared to be text it is a text.
    Word,
    /// Anything else.
    Text,
}

impl Reading {
    /// Reads a trimmed cell.
    pub(crate) fn of(cell: &str) -> Self {
        match cell.parse::<f64>() {
            _ if matches!(cell, "" | "?") => Self::Missing,
            Ok(value) if is_within_limit(value) => Self::Finite(value),
            _ if is_hole(cell) => Self::Word,
            Ok(_) => Self::NotFinite,
            Err(_) => Self::Text,
        }
    }

    /// Whether there is no value.
    pub(crate) fn is_hole(self) -> bool {
        matches!(self, Self::Missing | Self::Word)
    }
}

/// Whether a target names no class. A dash, a dot or `none` may well be one.
pub(crate) fn is_no_class(cell: &str) -> bool {
    matches!(cell, "" | "?") || is_na(cell)
}
