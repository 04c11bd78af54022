//! Why training had to stop.

use thiserror::Error;

/// A round that cannot be completed. The state still holds the last good model.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TrainError {
    /// Losses have grown beyond all measure.
    #[error(
        "training explodes in round {round}: the mean loss is `{loss:.4e}`, {factor:.0} times the \
         first one or more; the model of round {kept} is kept"
    )]
    Exploded {
        /// The round.
        round: usize,
        /// Mean loss over the agents that were asked.
        loss: f64,
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
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        "lower `train.local.learning_rate` (by ten, to begin with), or set `train.safety.clip`"
    }
}
