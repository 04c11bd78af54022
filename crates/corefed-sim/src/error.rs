//! Why training had to stop.

use thiserror::Error;

use crate::DeviceFailure;

/// A round that cannot be completed. The state still holds the last good model.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TrainError {
    /// Losses have grown beyond all measure.
    #[error(
        "training explodes in round {round}: the mean loss is `{loss:.4e}`, {factor:.0} times the \
         first one or more, and agent `{agent}` has the largest; the model of round {kept} is kept"
    )]
    Exploded {
        /// The round.
        round: usize,
        /// Mean loss over the agents that were asked.
        loss: f64,
        /// The agent whose loss is the largest, or no number at all.
        agent: String,
        /// Allowed multiple of the first mean loss.
        factor: f64,
        /// Round whose model is kept.
        kept: usize,
    },
    /// Every update was refused.
    #[error(
        "in round {round} no agent sent an update that can be used: agent `{agent}`: {reason}; the \
         model of round {kept} is kept"
    )]
    NobodyLeft {
        /// The round.
        round: usize,
        /// The first agent refused.
        agent: String,
        /// Why it was refused.
        reason: String,
        /// Round whose model is kept.
        kept: usize,
    },
    /// The device that evaluates and trains failed; the model is not to blame.
    #[error("round {round} failed on the device: {reason}; the model of round {kept} is kept")]
    Device {
        /// The round.
        round: usize,
        /// What the device said.
        reason: String,
        /// What to do about it.
        hint: String,
        /// Round whose model is kept.
        kept: usize,
    },
    /// The server's step overflows.
    #[error("the step of round {round} is not finite; the model of round {kept} is kept")]
    Overflow {
        /// The round.
        round: usize,
        /// Round whose model is kept.
        kept: usize,
    },
}

impl TrainError {
    /// A device that failed in a round.
    pub(crate) fn device(round: usize, failure: DeviceFailure, kept: usize) -> Self {
        let DeviceFailure { reason, hint } = failure;
        Self::Device { round, reason, hint, kept }
    }

    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> &str {
        if let Self::Device { hint, .. } = self {
            return hint;
        }
        "lower `train.local.learning_rate` (by ten, to begin with), or set `train.safety.clip`"
    }
}
