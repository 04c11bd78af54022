//! Weights, ceilings and the ball of parameters: the terms fixed for a run.

use corefed_core::Weights;

/// Fixed for a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// Names of the agents.
    pub names: Vec<String>,
    /// The say of each agent: in log-welfare, in shares of coalitions, in every fair rule.
    pub weights: Weights,
    /// Weights of the rules that only average; FedAvg counts samples.
    pub average: Weights,
    /// Losses at which agents get nothing, > 0.
    pub ceilings: Vec<f64>,
    /// Radius of the ball about zero that rivals lie in, and parameters if the training projects.
    pub radius: f64,
    /// Whether every utility is proven non-negative on that ball, so that one gradient certifies
    /// (ledger E6).
    pub premise: bool,
    /// The loss in words, where it is never negative: headroom (ledger E8) holds for no other.
    pub nonnegative: Option<&'static str>,
}
