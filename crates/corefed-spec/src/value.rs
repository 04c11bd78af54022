//! A value as the parser left it, in the types that specs use.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::words::excerpt;

/// What stands behind an equals sign.
#[derive(Clone, Copy)]
pub(crate) enum Value<'a> {
    Text(&'a str),
    /// A whole number, and its value among all numbers.
    Whole(i128),
    Number(f64),
    Flag(bool),
    List(&'a [Spanned<DeValue<'a>>]),
    Table(&'a DeTable<'a>),
    /// A date, or a whole number with dozens of digits.
    Other(&'static str),
}

impl<'a> Value<'a> {
    pub(crate) fn of(value: &'a DeValue<'a>) -> Self {
        match value {
            DeValue::String(text) => Self::Text(text),
            DeValue::Integer(digits) => i128::from_str_radix(digits.as_str(), digits.radix())
                .map_or(Self::Other("a huge number"), Self::Whole),
            DeValue::Float(digits) => {
                digits.as_str().parse().map_or(Self::Other("no number"), Self::Number)
            }
            DeValue::Boolean(flag) => Self::Flag(*flag),
            DeValue::Datetime(_) => Self::Other("a date"),
            DeValue::Array(list) => Self::List(list),
            DeValue::Table(table) => Self::Table(table),
        }
    }

    /// A number of either kind.
    pub(crate) fn number(self) -> Option<f64> {
        match self {
            Self::Whole(value) => Some(value as f64),
            Self::Number(value) => Some(value),
            _ => None,
        }
    }

    /// For a message.
    pub(crate) fn shown(self) -> String {
        match self {
            Self::Text(text) => format!("the text `{}`", excerpt(text)),
            Self::Whole(value) => format!("`{value}`"),
            Self::Number(value) => format!("`{value:?}`"),
            Self::Flag(value) => format!("`{value}`"),
            Self::List(_) => "a list".to_owned(),
            Self::Table(_) => "a table".to_owned(),
            Self::Other(words) => words.to_owned(),
        }
    }
}
