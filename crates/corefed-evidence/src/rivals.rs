//! What the search needs of a model: losses, and a way to improve on some of them.

use thiserror::Error;

/// Agents and models they could have, without anything that is known of either.
pub trait Rivals {
    /// Number of agents.
    fn agents(&self) -> usize;

    /// What an agent is called where rivals are named after those they are for.
    fn name(&self, agent: usize) -> String {
        format!("agent {agent}")
    }

    /// Losses of all agents on the rows that count, in order. A loss that is not finite counts as
    /// one that serves nobody.
    fn losses(&mut self, params: &[f32]) -> Result<Vec<f64>, Unavailable>;

    /// Descends `sum_i c_i L_i` from a model by one burst of local work, or `None` when that
    /// leads nowhere.
    ///
    /// Coefficients are non-negative and sum to one, so a learning rate for a mean of losses
    /// fits. The caller decides what a burst is: some steps of SGD, or of the full gradient.
    /// `burst` counts from zero, for schedules and for streams of random numbers. Equal arguments
    /// must give equal models.
    fn improve(
        &mut self,
        params: &[f32],
        coefficients: &[f64],
        burst: usize,
    ) -> Result<Option<Vec<f32>>, Unavailable>;
}

/// Why losses or better models cannot be computed: a device that failed, say. It says nothing about the
/// models.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{reason}")]
pub struct Unavailable {
    /// What happened.
    pub reason: String,
    /// What to do about it.
    pub hint: String,
}

/// Why a search cannot continue.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SearchError {
    /// Rivals could not be computed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The incumbent's loss is not a number.
    #[error("agent {agent} has the loss `{loss}` under the incumbent; it must be finite")]
    Incumbent {
        /// Index of the agent.
        agent: usize,
        /// Its loss.
        loss: f64,
    },
    /// Ceilings, weights or losses for another number of agents.
    #[error("there are {agents} agents and {given} {what}")]
    Count {
        /// How many agents there are.
        agents: usize,
        /// How many were given.
        given: usize,
        /// Of what.
        what: &'static str,
    },
    /// Parameters of another model.
    #[error("`{name}` has {given} parameters and the incumbent {expected}")]
    Parameters {
        /// The rival.
        name: String,
        /// How many it has.
        given: usize,
        /// How many it should have.
        expected: usize,
    },
    /// Training every coalition is out of the question.
    #[error(
        "{agents} agents form too many coalitions to train each of them; at most {most} agents \
         can be treated so, search instead"
    )]
    TooManyCoalitions {
        /// How many agents there are.
        agents: usize,
        /// The most.
        most: usize,
    },
    /// The local map divides by utilities.
    #[error("agent {agent} has the utility `{utility}`; the local map needs positive ones")]
    NotPositive {
        /// Index of the agent.
        agent: usize,
        /// Its utility.
        utility: f64,
    },
}
