//! Why an agent's rows cannot be used, or a question about them not answered.

use std::path::PathBuf;

use corefed_data::DataError;
use corefed_remote::Refusal;
use corefed_verify::VerifyError;
use thiserror::Error;

/// What is wrong with rows, or with what is asked of them.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The table cannot be read, or not by this encoding.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The agreed encoding is not one.
    #[error("the encoding is not one: {reason}")]
    Encoding {
        /// What is wrong.
        reason: String,
    },
    /// A table of one agent has rows of others.
    #[error("`{}` has rows of {}, not of one agent", path.display(), names.join(", "))]
    Several {
        /// The table.
        path: PathBuf,
        /// Whose rows there are.
        names: Vec<String>,
    },
    /// A model has another size.
    #[error("the model has {found} parameters, the table needs {expected}")]
    Parameters {
        /// Of the model.
        found: usize,
        /// Of the encoding.
        expected: usize,
    },
    /// Points have another size.
    #[error("points have {found} parameters, the model has {expected}")]
    Points {
        /// Of the points.
        found: usize,
        /// Of the model.
        expected: usize,
    },
    /// A derivative is asked for where there is no point.
    #[error("a place is beyond the points")]
    Place,
    /// A ball without a radius.
    #[error("the radius must be positive")]
    Radius,
    /// There is nothing to measure.
    #[error("the table has no rows")]
    Empty,
    /// A device gave up.
    #[error("{reason}")]
    Device {
        /// What it said.
        reason: String,
    },
    /// No policy has this name.
    #[error("`{policy}` is not a policy")]
    Policy {
        /// What was asked for.
        policy: String,
    },
    /// A policy that agents tell nothing for.
    #[error("`{policy}` needs nothing of agents")]
    Undeclared {
        /// The policy.
        policy: String,
    },
    /// A certificate speaks of another model.
    #[error("the certificate is about another encoding, family or ridge than the agent's own")]
    OtherModel,
    /// The agent has told enough.
    #[error(transparent)]
    Budget(#[from] Refusal),
    /// The certificate does not hold.
    #[error("certificate refused: {0}")]
    Refused(#[from] VerifyError),
}

impl AgentError {
    /// What was asked or given that cannot be used.
    #[must_use]
    pub fn field(&self) -> &'static str {
        match self {
            Self::Data(_) | Self::Several { .. } | Self::Empty | Self::Device { .. } => "path",
            Self::Encoding { .. } => "encoding",
            Self::Parameters { .. } => "params",
            Self::Points { .. } => "points",
            Self::Place => "gradients",
            Self::Radius => "radius",
            Self::Policy { .. } | Self::Undeclared { .. } => "policy",
            Self::OtherModel | Self::Refused(_) => "certificate",
            Self::Budget(_) => "budget",
        }
    }

    /// What can be done about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Data(error) => error.hint(),
            Self::Budget(refusal) => Some(refusal.hint().to_owned()),
            Self::Refused(error) => error.hint().map(str::to_owned),
            _ => None,
        }
    }
}
