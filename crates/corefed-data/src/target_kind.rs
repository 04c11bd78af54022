//! What the target of a federation is, which its numbers do not tell.

use corefed_core::Encoding;

/// A number to predict, or the index of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// Any number.
    Number,
    /// A whole number in `0..classes`.
    Class {
        /// Number of classes.
        classes: u32,
    },
}

impl TargetKind {
    /// The target of data encoded so: without classes, it is a number.
    #[must_use]
    pub fn of(encoding: &Encoding) -> Self {
        match encoding.classes.len() {
            0 => Self::Number,
            classes => Self::Class { classes: u32::try_from(classes).unwrap_or(u32::MAX) },
        }
    }
}
