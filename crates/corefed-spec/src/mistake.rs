//! One mistake of a spec.

use std::fmt;

use crate::words::listed;

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Line of the file, from 1; none for what is not there, or was not in a file.
    pub line: Option<usize>,
    /// Dotted path of the key; empty when the text is not TOML.
    pub key: String,
    /// What is wrong with it, and what would be right.
    pub problem: Problem,
}

/// What is wrong with a key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The file is too long to be a spec.
    TooLong {
        /// Its length.
        bytes: u64,
        /// The most that is read.
        most: u64,
    },
    /// The text is not TOML.
    Syntax {
        /// Column, from 1.
        column: usize,
        /// What the parser says.
        message: String,
    },
    /// No key has this name here.
    UnknownKey {
        /// The last part of the path.
        name: String,
        /// The key that was probably meant.
        nearest: Option<&'static str>,
        /// The table, or tables, in which there is such a key.
        elsewhere: Vec<&'static str>,
        /// The path of the key in another table that was probably meant.
        near: Option<String>,
    },
    /// A key that must be there is not.
    Missing {
        /// What it would be.
        wanted: String,
    },
    /// A value of the wrong type or out of range.
    Unfit {
        /// What would be right.
        wanted: String,
        /// What is there.
        found: String,
    },
    /// A name that is none of those possible.
    UnknownChoice {
        /// What is there.
        found: String,
        /// What there is.
        known: Vec<&'static str>,
        /// What was probably meant.
        nearest: Option<&'static str>,
    },
    /// A key that makes sense only with another choice.
    Belongs {
        /// The key that decides.
        selector: &'static str,
        /// The choices that have this key.
        to: &'static [&'static str],
        /// The choice that was made.
        chosen: String,
    },
    /// Two keys that exclude each other.
    Clash {
        /// The other one.
        other: &'static str,
    },
    /// A key that needs another.
    Needs {
        /// The other one.
        other: &'static str,
    },
    /// The same thing twice.
    Twice {
        /// The thing.
        what: String,
    },
    /// The value's own reader refused it.
    Refused {
        /// What it says.
        reason: String,
    },
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}")?;
            match &self.problem {
                Problem::Syntax { column, .. } => write!(f, ", column {column}: ")?,
                _ if self.key.is_empty() => f.write_str(": ")?,
                _ => f.write_str(", ")?,
            }
        }
        if !self.key.is_empty() {
            write!(f, "`{}`: ", self.key)?;
        }
        write!(f, "{}", self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { bytes, most } => {
                write!(f, "{bytes} bytes are too many for a spec, which has at most {most}")
            }
            Self::Syntax { message, .. } => f.write_str(message),
            Self::UnknownKey { name, nearest: Some(nearest), .. } => {
                write!(f, "unknown key `{name}`; did you mean `{nearest}`?")
            }
            Self::UnknownKey { name, elsewhere, .. } if !elsewhere.is_empty() => {
                write!(f, "unknown key `{name}` here; there is one in {}", elsewhere.join(", "))
            }
            Self::UnknownKey { name, near: Some(path), .. } => {
                write!(f, "unknown key `{name}`; did you mean `{path}`?")
            }
            Self::UnknownKey { name, .. } => write!(f, "unknown key `{name}`"),
            Self::Missing { wanted } => write!(f, "is missing; it must be {wanted}"),
            Self::Unfit { wanted, found } => write!(f, "must be {wanted}, not {found}"),
            Self::UnknownChoice { found, nearest: Some(nearest), .. } => {
                write!(f, "there is no `{found}`; did you mean `{nearest}`?")
            }
            Self::UnknownChoice { found, known, nearest: None } => {
                write!(f, "there is no `{found}`; there are {}", listed(known))
            }
            Self::Belongs { selector, to, chosen } => {
                write!(f, "belongs to {}, but `{selector}` is `{chosen}`", listed(to))
            }
            Self::Clash { other } => write!(f, "cannot stand beside `{other}`; keep one of them"),
            Self::Needs { other } => write!(f, "needs `{other}`"),
            Self::Twice { what } => write!(f, "{what} is there twice"),
            Self::Refused { reason } => f.write_str(reason),
        }
    }
}
