//! What is wrong with one cell.

use corefed_core::{Family, setting};
use thiserror::Error;

use super::Place;
use super::fit::typed;
use crate::missing::Missing;
use crate::names::listed;
use crate::suspect::{with_unit, without_thousands};

/// What is wrong with one cell.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CellError {
    /// Nothing, or `?`, where a value is needed.
    #[error("{place}: the value is missing{}", shown(cell))]
    Missing {
        /// Where.
        place: Place,
        /// Empty, `?`, or a word such as `NA`.
        cell: String,
        /// The policy that would accept it, if there is one.
        remedy: Option<Missing>,
    },
    /// `nan`, `inf`, or a number beyond [`LARGEST`](crate::LARGEST).
    #[error("{place}: `{cell}` is not a finite number within ±1e50")]
    NotFinite {
        /// Where.
        place: Place,
        /// What it says.
        cell: String,
    },
    /// Text where only a number will do.
    #[error("{place}: `{cell}` is not a number")]
    NotNumber {
        /// Where.
        place: Place,
        /// What it says.
        cell: String,
    },
    /// Text in a column that is mostly numbers.
    #[error("{place}: `{cell}` is not a number, but {numeric} of {rows} cells of the column are")]
    Mixed {
        /// Where.
        place: Place,
        /// What it says.
        cell: String,
        /// Cells of the column that are numbers.
        numeric: usize,
        /// Cells of the column.
        rows: usize,
    },
    /// A model of numbers was asked to predict text.
    #[error("{place}: `{cell}` is not a number, and a {family} model predicts numbers")]
    TextTarget {
        /// Where.
        place: Place,
        /// What it says.
        cell: String,
        /// The model.
        family: Family,
    },
    /// A raw label that is not an index of a class.
    #[error("{place}: `{cell}` is not a raw label of a {family} model")]
    RawLabel {
        /// Where.
        place: Place,
        /// What it says.
        cell: String,
        /// Decides which labels are allowed.
        family: Family,
    },
    /// A number so far from the mean that its standardised value overflows.
    #[error("{place}: `{cell}` is too large when centred by `{mean}` and divided by `{scale}`")]
    TooFar {
        /// Where.
        place: Place,
        /// What it says.
        cell: String,
        /// Mean of the encoding.
        mean: f64,
        /// Scale of the encoding.
        scale: f64,
    },
    /// A text that the encoding has no column for.
    #[error("{place}: the encoding has no level `{cell}`")]
    UnseenLevel {
        /// Where.
        place: Place,
        /// What it says.
        cell: String,
        /// The level most likely meant.
        nearest: Option<String>,
    },
    /// A target that is none of the classes.
    #[error("{place}: `{cell}` is none of the classes {}", listed(classes))]
    UnknownClass {
        /// Where.
        place: Place,
        /// What it says.
        cell: String,
        /// The classes of the encoding.
        classes: Vec<String>,
    },
    /// A number that the model cannot predict.
    #[error("{place}: `{cell}` of agent `{agent}` is not {}, as a {family} model predicts", family.targets().wanted())]
    Target {
        /// Where.
        place: Place,
        /// What it says.
        cell: String,
        /// Whose row it is.
        agent: String,
        /// The model.
        family: Family,
    },
    /// An exposure that is not positive.
    #[error("{place}: the exposure{} is `{cell}`", agent.as_ref().map(|name| format!(" of agent `{name}`")).unwrap_or_default())]
    Exposure {
        /// Where.
        place: Place,
        /// What it says.
        cell: String,
        /// Whose row it is, where the table says.
        agent: Option<String>,
    },
    /// What should be a moment is not.
    #[error("{place}: `{cell}` is not a time")]
    Time {
        /// Where.
        place: Place,
        /// What it says.
        cell: String,
    },
    /// A row without owner.
    #[error("{place}: the row names no agent")]
    UnnamedAgent {
        /// Where.
        place: Place,
    },
}

impl CellError {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Missing { remedy: Some(policy), .. } => {
                return Some(format!(
                    "fill in the value, remove the row or the column, or fit with \
                     `@missing {policy}`"
                ));
            }
            Self::Missing { .. } => {
                "fill in the value, or leave out such rows with `@missing drop`"
            }
            Self::Mixed { cell, .. }
            | Self::TextTarget { cell, .. }
            | Self::NotNumber { cell, .. }
                if without_thousands(cell).is_some() =>
            {
                return Some(format!(
                    "`{cell}` has a thousands separator: write {}",
                    without_thousands(cell).unwrap_or_default()
                ));
            }
            Self::Mixed { cell, .. }
            | Self::TextTarget { cell, .. }
            | Self::NotNumber { cell, .. }
                if with_unit(cell).is_some() =>
            {
                let (number, unit) = with_unit(cell).unwrap_or_default();
                return Some(format!(
                    "`{unit}` looks like a unit: write {number}, in one unit for all rows"
                ));
            }
            Self::Mixed { place, cell, .. } => {
                return Some(format!(
                    "fix the cell; if `{cell}` means that the value is missing, say so with {}; if the \
                     column is a category, with {}",
                    setting("na", cell),
                    typed(&place.column, "text")
                ));
            }
            Self::NotFinite { .. } => {
                "give a finite number, express the column in another unit, or remove the row"
            }
            Self::NotNumber { .. } => {
                "this column takes numbers only; fix the cell, or fit without `@raw` or \
                 `@column NAME=number` to use text"
            }
            Self::TextTarget { .. } => {
                "classes need `@model logistic` (two) or `@model softmax` (any number)"
            }
            Self::RawLabel { family, .. } if family.targets().most_classes().is_none() => {
                "raw labels are the integers from 0 to the number of classes less one"
            }
            Self::RawLabel { .. } => "raw labels are 0 and 1",
            Self::UnseenLevel { nearest: Some(name), .. } => {
                return Some(format!("did you mean `{name}`?"));
            }
            Self::UnseenLevel { .. } | Self::UnknownClass { .. } => {
                "the predictor was fitted without it; fit again with such rows, or remove them"
            }
            Self::TooFar { .. } => "is the unit the one the predictor was fitted with?",
            Self::Target { .. } => "is the target column right? fix the cell, or remove the row",
            Self::Exposure { .. } => {
                "exposures are positive and finite; fix the cell, or remove the row"
            }
            Self::Time { .. } => {
                "times are numbers, or dates such as `2024-03-01` or `2024-03-01 13:05`, of one kind in a column; \
                 `@column NAME=ignore` leaves a column out"
            }
            Self::UnnamedAgent { .. } => "fill in the agent, or remove the row",
        };
        Some(hint.to_owned())
    }
}

/// A hole as a message shows it.
fn shown(cell: &str) -> String {
    if cell.is_empty() { String::new() } else { format!(" (`{cell}`)") }
}
