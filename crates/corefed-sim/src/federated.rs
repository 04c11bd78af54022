//! What the engine knows of data and models: agents that evaluate and train.

use corefed_core::Seed;
use corefed_rules::{LocalObjective, Scalar};
use thiserror::Error;

use crate::Walk;

/// A federation of agents that can train one model, whatever the model is.
pub trait Federated: Sync {
    /// Number type of parameters and updates.
    type Scalar: Scalar;
    /// Parameters as agents use them, prepared once a round for all.
    type Model: Sync;
    /// Scratch memory of one thread.
    type Workspace: Send;

    /// Number of parameters.
    fn dim(&self) -> usize;
    /// Number of agents.
    fn agents(&self) -> usize;
    /// Rows an agent has of a part of the data.
    fn samples(&self, part: Part, agent: usize) -> usize;
    /// Parameters before the first round.
    fn initial(&self, seed: Seed) -> Vec<Self::Scalar>;
    /// Prepares parameters for agents.
    fn prepare(&self, params: &[Self::Scalar]) -> Self::Model;
    /// Fresh scratch memory.
    fn workspace(&self) -> Self::Workspace;
    /// What the model is worth to some agents; those without rows get `None`. Bits do not depend on
    /// the number of threads or on which agents are asked together.
    fn evaluate(
        &self,
        model: &Self::Model,
        part: Part,
        agents: &[usize],
    ) -> Result<Vec<Option<Evaluation>>, DeviceFailure>;
    /// The published test set, which belongs to nobody; `None` where there is none.
    fn test(&self, model: &Self::Model) -> Result<Option<Evaluation>, DeviceFailure>;
    /// Trains at one agent from the received model and writes what changed.
    fn train(
        &self,
        model: &Self::Model,
        agent: usize,
        job: &Job<'_, Self::Scalar>,
        workspace: &mut Self::Workspace,
        update: &mut [Self::Scalar],
    );
    /// How many agents train at once on a device of the federation's own; `None`: one agent per
    /// thread, by [`Federated::train`].
    fn together(&self) -> Option<usize> {
        None
    }
    /// Trains several agents at once, each from the received model; asked only where
    /// [`Federated::together`] says that it can, and then never for more.
    fn train_together(
        &self,
        _model: &Self::Model,
        _tasks: &[(usize, Job<'_, Self::Scalar>)],
        _updates: &mut [Vec<Self::Scalar>],
    ) -> Result<(), DeviceFailure> {
        Ok(())
    }
    /// Training losses of all agents in `f64`, whatever parameters are made of; `None` where losses
    /// are not convex and would certify nothing.
    fn exact_losses(&self, model: &Self::Model) -> Option<Vec<f64>>;
    /// `sum_i coefficients_i grad L_i` over training data, in `f64`; `None` where losses are not
    /// convex and the sum would certify nothing.
    fn convex_gradient(&self, model: &Self::Model, coefficients: &[f64]) -> Option<Vec<f64>>;
}

/// Why a device could not evaluate or train. It says nothing about the model.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{reason}")]
pub struct DeviceFailure {
    /// What it said.
    pub reason: String,
    /// What to do about it.
    pub hint: String,
}

/// Which of an agent's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What it trains on; its loss there is what its utility counts.
    Train,
    /// Held out to report on.
    HeldOut,
    /// Held out to choose a round by.
    Validation,
}

/// Mean loss and share of correct predictions on some rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// Nats per sample, ridge included.
    pub loss: f64,
    /// In [0, 1]; `None` for a model that predicts numbers.
    pub accuracy: Option<f64>,
}

/// One agent's local work in one round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Job<'a, T> {
    /// Mini-batch steps.
    pub steps: usize,
    /// Rows per step; the last step of an epoch takes what is left.
    pub batch: usize,
    /// Step size.
    pub learning_rate: f64,
    /// Heavy-ball momentum of the steps; begins at rest every round.
    pub momentum: f64,
    /// Added to the gradient, times the parameters; not part of the loss.
    pub weight_decay: f64,
    /// Decides the order of rows.
    pub seed: Seed,
    /// What the steps descend.
    pub objective: LocalObjective,
    /// What is added to the gradient in every step; `None`: nothing.
    pub drift: Option<Drift<'a, T>>,
}

impl<T> Job<'_, T> {
    /// Its steps.
    #[must_use]
    pub fn walk(&self) -> Walk {
        let Self { steps, learning_rate, momentum, .. } = *self;
        Walk { steps, learning_rate, momentum }
    }
}

/// What is added to the gradient in every local step: `common - own` (ledger E48).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift<'a, T> {
    /// `c`, one number per parameter.
    pub common: &'a [T],
    /// `c_s`, one number per parameter.
    pub own: &'a [T],
}

impl<T: Scalar> Drift<'_, T> {
    /// The numbers that are added.
    pub fn values(&self) -> impl Iterator<Item = T> {
        let pairs = self.common.iter().zip(self.own);
        pairs.map(|(common, own)| T::from_f64(common.to_f64() - own.to_f64()))
    }
}
