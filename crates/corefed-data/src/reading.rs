//! What one cell says, read as a number.

pub use corefed_core::LARGEST;

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
            _ if is_hole_word(cell) => Self::Word,
            Ok(_) => Self::NotFinite,
            Err(_) => Self::Text,
        }
    }

    /// Whether there is no value.
    pub(crate) fn is_hole(self) -> bool {
        matches!(self, Self::Missing | Self::Word)
    }
}

/// What R, pandas, databases and SAS write for a missing value.
fn is_hole_word(cell: &str) -> bool {
    matches!(cell, "." | "-") || is_na(cell) || cell.eq_ignore_ascii_case("none")
}

/// Whether a target names no class. A dash, a dot or `none` may well be one.
pub(crate) fn is_no_class(cell: &str) -> bool {
    matches!(cell, "" | "?") || is_na(cell)
}

fn is_na(cell: &str) -> bool {
    let words = ["na", "n/a", "#n/a", "nan", "null"];
    cell.len() <= 4 && words.iter().any(|word| cell.eq_ignore_ascii_case(word))
}
