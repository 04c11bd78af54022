//! A typed cell.

use std::fmt;

use crate::encode::decimal_cell::read_number;
use crate::reading::{Reading, is_within_limit};

/// What a cell holds, in a file that knows types.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Missing,
    Whole(i128),
    Float(f64),
    Text(&'a str),
}

impl Value<'_> {
    /// The cell read as a number; text is read as a CSV file's would be.
    pub(super) fn reading(self) -> Reading {
        let float = match self {
            Self::Missing => return Reading::Missing,
            Self::Text(text) => return read_number(text.trim()),
            Self::Whole(value) => value as f64,
            Self::Float(value) => value,
        };
        if is_within_limit(float) { Reading::Finite(float) } else { Reading::NotFinite }
    }
}

/// The cell as a CSV file would have it.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => Ok(()),
            Self::Whole(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
            Self::Text(text) => f.write_str(text.trim()),
        }
    }
}
