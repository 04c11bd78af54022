//! What one cell says, read as a number.

pub use corefed_core::LARGEST;

/// Whether a cell may hold this number; `NaN` is none.
pub(super) fn is_within_limit(value: f64) -> bool {
    value.abs() <= LARGEST
}

/// What one cell says, read as a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reading {
    /// A number of at most [`LARGEST`].
    Finite(f64),
    /// `nan`, `inf`, or a number beyond [`LARGEST`].
    NotFinite,
    /// Empty, or the `?` of UCI files.
    Missing,
    /// Anything else.
    Text,
}

impl Reading {
    /// Reads a trimmed cell.
    pub(crate) fn of(cell: &str) -> Self {
        match cell.parse::<f64>() {
            _ if matches!(cell, "" | "?") => Self::Missing,
            Ok(value) if is_within_limit(value) => Self::Finite(value),
            Ok(_) => Self::NotFinite,
            Err(_) => Self::Text,
        }
    }
}
