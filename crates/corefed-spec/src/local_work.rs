//! What an agent does with the model it receives.

use std::num::NonZeroUsize;

use crate::Schedule;

/// Stochastic gradient descent on the agent's own rows, as `[train.local]` describes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalWork {
    /// How much of it.
    pub amount: Amount,
    /// Rows per step; `None` is all of them.
    pub batch: Option<NonZeroUsize>,
    /// Learning rate of the first round, > 0.
    pub learning_rate: f64,
    /// Heavy-ball momentum within a round, in [0, 1).
    pub momentum: f64,
    /// Pull towards zero per step, in units of the learning rate, >= 0.
    pub weight_decay: f64,
    /// How the learning rate changes from round to round.
    pub schedule: Schedule,
}

/// How much work a round is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Passes over the agent's rows.
    Epochs(NonZeroUsize),
    /// Steps, whatever the number of rows; with none, what remains is the cost of a round.
    Steps(usize),
}

impl LocalWork {
    /// The learning rate of a round, counted from 1.
    #[must_use]
    pub fn rate(&self, round: usize, rounds: usize) -> f64 {
        self.schedule.rate(self.learning_rate, round, rounds)
    }
}

impl Default for LocalWork {
    fn default() -> Self {
        Self {
            amount: Amount::Epochs(NonZeroUsize::MIN),
            batch: NonZeroUsize::new(32),
            learning_rate: 0.1,
            momentum: 0.0,
            weight_decay: 0.0,
            schedule: Schedule::Constant,
        }
    }
}
