//! Where something is wrong.

use std::fmt;

/// Where in a file a cell is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name of the file.
    pub file: Box<str>,
    /// Line or row of the file, counted from one.
    pub line: usize,
    /// Which of both.
    pub numbering: Numbering,
    /// Name of the column.
    pub column: Box<str>,
}

/// What tells a reader where a row is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbering {
    /// Lines of a text, from one, as an editor shows them.
    #[default]
    Lines,
    /// Rows of a file that has no lines, from one.
    Rows,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.numbering {
            Numbering::Lines => "line",
            Numbering::Rows => "row",
        };
        write!(f, "`{}`, {unit} {}, column `{}`", self.file, self.line, self.column)
    }
}
