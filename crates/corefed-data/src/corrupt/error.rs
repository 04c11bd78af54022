//! Why data cannot be corrupted as asked.

use thiserror::Error;

use crate::names::listed;

/// Why data cannot be corrupted as asked.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CorruptError {
    /// Not the text of a corruption.
    #[error("`{text}` is not a known corruption")]
    Syntax {
        /// What was written.
        text: String,
    },
    /// Not an agent and its corruptions.
    #[error("`{text}` does not say which agent to corrupt")]
    NoAgent {
        /// What was written.
        text: String,
    },
    /// Too much of it, or less than nothing.
    #[error("the amount of `{name}` must be from `0` to `{most}`, not `{amount}`")]
    Amount {
        /// Kind of corruption.
        name: &'static str,
        /// How much was asked for.
        amount: f64,
        /// The most that is possible.
        most: f64,
    },
    /// An agent that is not there.
    #[error("there is no agent `{agent}` to corrupt; there are {}", listed(present))]
    UnknownAgent {
        /// The agent asked for.
        agent: String,
        /// The agents there are.
        present: Vec<String>,
        /// The agent most likely meant.
        nearest: Option<String>,
    },
    /// Label noise without labels.
    #[error("agent `{agent}`: the target is a number, so there are no labels to corrupt")]
    NoLabels {
        /// Whose labels were asked for.
        agent: String,
    },
    /// Label noise with nowhere to go.
    #[error("agent `{agent}`: with `{classes}` classes no label has a different one to move to")]
    NoOtherClass {
        /// Whose labels were asked for.
        agent: String,
        /// Number of classes.
        classes: u32,
    },
    /// Feature noise without numeric features.
    #[error("agent `{agent}`: there are no numeric features to add noise to")]
    NoFeatures {
        /// Whose features were asked for.
        agent: String,
    },
}

impl CorruptError {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Syntax { .. } => "write `noise:0.5`, `labels:0.2`, `drop:0.3` or `duplicate:0.1`",
            Self::NoAgent { .. } => "write `AGENT=noise:0.5` or `AGENT=noise:0.5,labels:0.2`",
            Self::Amount { name: "noise", .. } => "noise counts in deviations of the feature",
            Self::Amount { .. } => "it is a share of the agent's rows",
            Self::UnknownAgent { nearest, .. } => {
                return nearest.as_ref().map(|name| format!("did you mean `{name}`?"));
            }
            Self::NoLabels { .. } => "use `noise` to corrupt features instead",
            Self::NoOtherClass { .. } => "is the target column right?",
            Self::NoFeatures { .. } => "use `labels`, `drop` or `duplicate` instead",
        };
        Some(hint.to_owned())
    }
}
