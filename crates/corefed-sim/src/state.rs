//! Everything a run carries from round to round.

use corefed_rules::ServerState;

use crate::{Candidates, Evaluation, NewtonState};

/// The run after a round. Plain data: written to a checkpoint and read back, it continues to the
/// same bits.
#[derive(Clone, Debug)]
pub struct State<T> {
    /// Rounds done.
    pub round: usize,
    /// The model.
    pub params: Vec<T>,
    /// The model before, whose losses were in order: what is kept when training explodes.
    pub previous: Vec<T>,
    /// What the rule remembers.
    pub server: ServerState<T>,
    /// What agents remember of their gradients, by agent; empty where local steps are not corrected.
    pub controls: Vec<Vec<T>>,
    /// What Newton's method remembers.
    pub newton: NewtonState,
    /// Mean loss that the first cohort reported: the measure of an explosion.
    pub first_loss: Option<f64>,
    /// The best model by rows to choose by, where there are any.
    pub best: Option<Best<T>>,
    /// Utilities of evaluated models. Not in a checkpoint: the records have them.
    pub candidates: Candidates,
    /// What `params` are worth to all agents on their training rows, when they were just evaluated. Not in
    /// a checkpoint: it can be computed again.
    pub(crate) evaluated: Option<Vec<Evaluation>>,
}

/// The best model so far by rows that nobody trains on or reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Best<T> {
    /// Round after which it was the model.
    pub round: usize,
    /// Floored log-welfare on the rows to choose by.
    pub value: f64,
    /// The model.
    pub params: Vec<T>,
}

impl<T> State<T> {
    /// A state read from a checkpoint; candidates are added from the records.
    #[must_use]
    pub fn restored(
        round: usize,
        (params, previous): (Vec<T>, Vec<T>),
        server: ServerState<T>,
        controls: Vec<Vec<T>>,
        newton: NewtonState,
        first_loss: Option<f64>,
        best: Option<Best<T>>,
    ) -> Self {
        let candidates = Candidates::default();
        Self {
            round,
            params,
            previous,
            server,
            controls,
            newton,
            first_loss,
            best,
            candidates,
            evaluated: None,
        }
    }
}
