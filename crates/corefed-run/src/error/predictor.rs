//! What can be wrong with the predictor that a file holds.

use thiserror::Error;

/// Why parameters of a file cannot be used.
#[derive(Debug, Error)]
pub enum PredictorFault {
    /// The field `predictor` is not one.
    #[error("field `predictor`: {0}")]
    Field(serde_json::Error),
    /// Parameters are not listed by name.
    #[error("no parameters{}", of_class(class.as_ref()))]
    NoParameters {
        /// The class that has none.
        class: Option<String>,
    },
    /// A parameter is missing, or no number.
    #[error("no finite number for parameter `{name}`{}", of_class(class.as_ref()))]
    NoNumber {
        /// Its name.
        name: String,
        /// Its class.
        class: Option<String>,
    },
    /// A parameter is called as no feature is.
    #[error("parameter `{name}`{} belongs to no feature", of_class(class.as_ref()))]
    NoFeature {
        /// Its name.
        name: String,
        /// Its class.
        class: Option<String>,
        /// The features.
        known: Vec<String>,
    },
    /// There are more parameters, or fewer, than the encoding has.
    #[error("{found} parameters where the encoding asks for {expected}")]
    Count {
        /// Parameters in the file.
        found: usize,
        /// What the encoding asks for.
        expected: usize,
    },
    /// A parameter is infinite or not a number.
    #[error("a parameter is not finite")]
    NotFinite,
    /// The ball is none, or the penalty is negative.
    #[error("the radius must be positive and l2 not negative")]
    Terms,
    /// Columns are centred, and no parameter can take up their means.
    #[error("parameters in raw units need an intercept, because columns are centred")]
    NoIntercept,
    /// A class is named, and there are not two.
    #[error("parameters speak for one class only where there are two")]
    NotTwoClasses,
}

impl PredictorFault {
    /// What to do about it.
    pub(super) fn hint(&self) -> Option<String> {
        match self {
            Self::Field(_) => {
                Some("audit the unchanged JSON of `@corefed solve --json`".to_owned())
            }
            Self::NoFeature { known, .. } => {
                Some(format!("the features are: {}", known.join(", ")))
            }
            Self::NoParameters { .. }
            | Self::NoNumber { .. }
            | Self::Count { .. }
            | Self::NotFinite
            | Self::Terms
            | Self::NoIntercept
            | Self::NotTwoClasses => None,
        }
    }
}

fn of_class(class: Option<&String>) -> String {
    class.map_or_else(String::new, |class| format!(" of class `{class}`"))
}
