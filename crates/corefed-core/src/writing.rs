//! How a file of text writes a table, where that is told rather than recognised.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Choice;

/// What separates cells, and what decimals; whatever is not told is recognised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Writing {
    /// What separates cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub separator: Option<Separator>,
    /// What separates the decimals of a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimal: Option<DecimalMark>,
}

impl Writing {
    /// Whether nothing is told.
    #[must_use]
    pub fn is_recognised(&self) -> bool {
        *self == Self::default()
    }

    /// What is told here, and elsewhere where nothing is.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            separator: self.separator.or(other.separator),
            decimal: self.decimal.or(other.decimal),
        }
    }
}

/// What separates the cells of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Separator {
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// A tabulator.
    Tab,
    /// `|`
    Pipe,
}

impl Separator {
    /// The character.
    #[must_use]
    pub fn mark(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
            Self::Pipe => b'|',
        }
    }
}

impl Choice for Separator {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Comma, "comma", "`,`"),
        (Self::Semicolon, "semicolon", "`;`"),
        (Self::Tab, "tab", "A tabulator"),
        (Self::Pipe, "pipe", "`|`"),
    ];
}

/// What separates the decimals of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DecimalMark {
    /// `1234.5`
    Point,
    /// `1.234,5`, points being between thousands.
    Comma,
}

impl Choice for DecimalMark {
    const WORDS: &'static [(Self, &'static str, &'static str)] =
        &[(Self::Point, "point", "`1234.5`"), (Self::Comma, "comma", "`1234,5` and `1.234,5`")];
}

/// Text that is neither the word nor the character of a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMark {
    known: String,
}

impl fmt::Display for UnknownMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "give {}, or the character itself", self.known)
    }
}

impl std::error::Error for UnknownMark {}

impl FromStr for Separator {
    type Err = UnknownMark;

    fn from_str(text: &str) -> Result<Self, UnknownMark> {
        let text = if text == "\\t" { "\t" } else { text };
        mark(text, |own: Self| own.mark())
    }
}

impl FromStr for DecimalMark {
    type Err = UnknownMark;

    fn from_str(text: &str) -> Result<Self, UnknownMark> {
        mark(text, |own: Self| if own == Self::Point { b'.' } else { b',' })
    }
}

fn mark<T: Choice>(text: &str, mark_of: impl Fn(T) -> u8) -> Result<T, UnknownMark> {
    let words = T::WORDS.iter();
    let found = words
        .map(|(own, word, _)| (*own, *word))
        .find(|(own, word)| *word == text || text.as_bytes() == [mark_of(*own)]);
    found.map(|(own, _)| own).ok_or_else(|| UnknownMark {
        known: T::WORDS
            .iter()
            .map(|(_, word, _)| format!("`{word}`"))
            .collect::<Vec<_>>()
            .join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_told_by_word_or_character() {
        for (text, expected) in [
            ("comma", Some(Separator::Comma)),
            (";", Some(Separator::Semicolon)),
            ("\t", Some(Separator::Tab)),
            ("\\t", Some(Separator::Tab)),
            ("|", Some(Separator::Pipe)),
            (" ", None),
            ("", None),
            ("point", None),
        ] {
            assert_eq!(text.parse::<Separator>().ok(), expected, "{text}");
        }
        assert_eq!(".".parse(), Ok(DecimalMark::Point));
        assert_eq!("comma".parse(), Ok(DecimalMark::Comma));
        let told = "dot".parse::<DecimalMark>().unwrap_err().to_string();
        assert_eq!(told, "give `point`, `comma`, or the character itself");
    }

    #[test]
    fn what_is_told_comes_before_what_is_usual() {
        let asked = Writing { separator: Some(Separator::Tab), decimal: None };
        let usual = Writing { separator: Some(Separator::Pipe), decimal: Some(DecimalMark::Comma) };
        let both = asked.or(usual);
        assert_eq!((both.separator, both.decimal), (asked.separator, usual.decimal));
        assert!(Writing::default().is_recognised() && !both.is_recognised());
    }
}
