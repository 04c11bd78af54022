//! The server: a rule, its safeguards and what is fixed about the federation.

use corefed_core::{Range, Weights};
use serde::{Deserialize, Serialize};

use crate::error::What;
use crate::{Remembers, Rule, Safety, Scalar, ServerError, ServerStep};

/// What a weight may be of the mean weight.
const LIKE_OTHERS: Range = Range::closed(1e-60, 1e60);
/// A part of a ceiling of 1e-30 that still has a square.
const USABLE_FLOOR: Range = Range::closed(1e-30, 1.0);

/// Everything about the server that does not change between rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    pub(crate) rule: Rule,
    pub(crate) safety: Safety,
    pub(crate) step: ServerStep,
    /// Weights, rescaled to mean one.
    pub(crate) weights: Vec<f64>,
    /// Weights of FedAvg while a rule warms up.
    pub(crate) warm_up: Vec<f64>,
    ceilings: Vec<f64>,
}

/// Everything about the server that does: plain data, to be kept with a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerState<T> {
    /// AFL's multiplier of each agent; empty under other rules.
    pub multipliers: Vec<f64>,
    /// The ceiling of each agent, raised ones included.
    pub ceilings: Vec<f64>,
    /// The utility of each agent, averaged over rounds, zero before it is heard; empty unless CoreFed has
    /// a memory.
    #[serde(default)]
    pub utilities: Vec<f64>,
    /// Momentum's memory, one number per parameter; empty without momentum and before the first
    /// step.
    pub velocity: Vec<T>,
}

impl Server {
    /// Checks everything that can be wrong about a rule.
    ///
    /// Weights say how much each agent counts: equal, by samples, or as the federation agreed. Only
    /// their ratios matter. Ceilings are those fixed by the server, one per agent.
    ///
    /// ```
    /// use corefed_core::Weights;
    /// use corefed_rules::{Rule, Safety, Server, ServerError, ServerStep};
    ///
    /// let server = |rule| {
    ///     Server::new(rule, Safety::default(), ServerStep::default(), &Weights::equal(2), vec![3.0; 2])
    /// };
    /// assert!(server(Rule::Term { t: 1.0 }).is_ok());
    /// assert_eq!(server(Rule::Newton), Err(ServerError::NotAnAverage));
    /// ```
    pub fn new(
        rule: Rule,
        safety: Safety,
        step: ServerStep,
        weights: &Weights,
        ceilings: Vec<f64>,
    ) -> Result<Self, ServerError> {
        if rule.info().takes_derivatives {
            return Err(ServerError::NotAnAverage);
        }
        rule.check()?;
        for (name, value, range) in [
            ("floor", safety.floor, Safety::FLOOR),
            ("weight_cap", safety.weight_cap, Safety::WEIGHT_CAP),
            ("share_cap", safety.share_cap, Safety::SHARE_CAP),
            ("clip", safety.clip, Safety::CLIP),
            ("step", step.step, ServerStep::STEP),
            ("momentum", step.momentum, ServerStep::MOMENTUM),
        ] {
            if !range.contains(value) {
                return Err(ServerError::Setting { name, value, range });
            }
        }
        let agents = weights.values().len();
        if ceilings.len() != agents {
            let (what, found) = (What::Ceilings, ceilings.len());
            return Err(ServerError::Length { what, found, expected: agents });
        }
        // Beyond these even a floored utility or its inverse could overflow.
        let usable = |ceiling: f64| (1e-30..=1e300).contains(&ceiling);
        if let Some(agent) = ceilings.iter().position(|&ceiling| !usable(ceiling)) {
            return Err(ServerError::Ceiling { agent, value: ceilings[agent] });
        }
        let mean = weights.total() / agents as f64;
        let weights: Vec<f64> = weights.values().iter().map(|weight| weight / mean).collect();
        // So could their squares, times weights that differ beyond all measure.
        let odd = weights.iter().copied().find(|&weight| !LIKE_OTHERS.contains(weight));
        for (name, value, range) in odd
            .map(|weight| ("weight over the mean weight", weight, LIKE_OTHERS))
            .into_iter()
            .chain([("floor", safety.floor, USABLE_FLOOR)])
        {
            if !range.contains(value) {
                return Err(ServerError::Setting { name, value, range });
            }
        }
        let warm_up = weights.clone();
        Ok(Self { rule, safety, step, weights, warm_up, ceilings })
    }

    /// Lets a warm-up average by other weights than the rule's own, as FedAvg beside it does: by
    /// samples, say, where agents otherwise have equal say.
    pub fn warming_up_by(mut self, weights: &Weights) -> Result<Self, ServerError> {
        let (found, expected) = (weights.values().len(), self.weights.len());
        if found != expected {
            return Err(ServerError::Length { what: What::Weights, found, expected });
        }
        self.warm_up = weights.values().to_vec();
        Ok(self)
    }

    /// The state before the first round.
    #[must_use]
    pub fn init<T: Scalar>(&self) -> ServerState<T> {
        let agents = self.weights.len() as f64;
        let shares = || self.weights.iter().map(|weight| weight / agents).collect();
        let (multipliers, utilities) = match self.rule.remembers() {
            Remembers::Nothing => (Vec::new(), Vec::new()),
            Remembers::Multipliers => (shares(), Vec::new()),
            Remembers::Utilities => (Vec::new(), vec![0.0; self.weights.len()]),
        };
        let ceilings = self.ceilings.clone();
        ServerState { multipliers, ceilings, utilities, velocity: Vec::new() }
    }

    /// How many agents the federation has.
    #[must_use]
    pub fn agents(&self) -> usize {
        self.weights.len()
    }
}

#[cfg(test)]
mod tests;
