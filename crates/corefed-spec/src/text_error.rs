//! Why a text is not a ceiling, not weights and not a data set.

use corefed_data::source::catalogue;
use thiserror::Error;

use crate::ceiling_words::CEILING_WORDS;
use crate::words::{excerpt, listed, nearest};

/// A text that is not what it should be, wherever somebody writes it.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TextError {
    /// A ceiling, or what a policy multiplies by.
    #[error("`{value}` is not a positive number")]
    NotPositive {
        /// As it was read.
        value: f64,
    },
    /// What a policy multiplies by.
    #[error("`{text}` is not a number")]
    NotNumber {
        /// As it was written.
        text: String,
    },
    /// Neither a ceiling nor weights are written like this.
    #[error("expected {wanted}")]
    Expected {
        /// What may be written.
        wanted: &'static str,
        /// As it was written.
        text: String,
    },
    /// No ceiling whose factor can be searched for is written like this.
    #[error(
        "expected {}, `number` or a .csv file; the factor is what is searched for",
        listed(&CEILING_WORDS.iter().map(|known| known.word).collect::<Vec<_>>())
    )]
    Factor {
        /// As it was written.
        text: String,
    },
    /// There is no such set.
    #[error("no data set is called `{}`; {}", excerpt(name), instead(name))]
    DataSet {
        /// As it was written.
        name: String,
    },
}

impl TextError {
    /// What to do about it, where the message does not say it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotPositive { .. } | Self::NotNumber { .. } => {
                Some("at the ceiling an agent has nothing: give a loss, or a factor, above zero")
            }
            _ => None,
        }
    }
}

/// What may have been meant.
fn instead(name: &str) -> String {
    let names: Vec<&'static str> = catalogue::ENTRIES.iter().map(|entry| entry.name).collect();
    match nearest(name, names.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("there are {}, and a file has an extension", listed(&names)),
    }
}
