//! What a session has been told so far.

use corefed_audit::Accuracy;
use corefed_core::Weights;
use corefed_solve::Ball;

use crate::bundle::Bundle;
use crate::case::Case;
use crate::outcome::Traffic;
use crate::setup::{BadSetup, Ceiling, Participant, Setup};

/// Terms, answers, and who still answers.
pub(crate) struct State {
    pub(crate) setup: Setup,
    weights: Weights,
    pub(crate) ball: Ball,
    pub(crate) bundle: Bundle,
    /// Agents that are not asked any more.
    pub(crate) silent: Vec<bool>,
    /// Best predictors of single agents, as they were told.
    pub(crate) owns: Vec<Option<Vec<f64>>>,
    pub(crate) declared: Vec<Option<f64>>,
    /// Rounds asked.
    pub(crate) round: usize,
    /// By agent, then by round.
    pub(crate) traffic: Vec<Vec<Traffic>>,
}

impl State {
    /// Nothing is known yet.
    pub(crate) fn new(setup: Setup) -> Result<Self, BadSetup> {
        let weights = setup.check()?;
        let agents = setup.agents.len();
        Ok(Self {
            weights,
            ball: Ball::about_zero(setup.predictor.parameters().len(), setup.predictor.radius()),
            bundle: Bundle::new(agents),
            silent: vec![false; agents],
            owns: vec![None; agents],
            declared: vec![None; agents],
            round: 0,
            traffic: vec![Vec::new(); agents],
            setup,
        })
    }

    /// Agents that answer, and have answered to second order.
    pub(crate) fn heard(&self) -> Vec<usize> {
        let heard = |agent: &usize| !self.silent[*agent] && self.bundle.base(*agent).is_some();
        (0..self.silent.len()).filter(heard).collect()
    }

    /// The numbers of the audit; ceilings of agents that never answered are zero and unused.
    pub(crate) fn case(&self) -> Case {
        let zero = vec![0.0; self.ball.center().len()];
        let zero = self.bundle.place(&zero);
        let ceiling = |(agent, participant): (usize, &Participant)| match participant.ceiling {
            Ceiling::Absolute(value) | Ceiling::Settled { value, .. } => value,
            Ceiling::Initial(factor) => {
                let known = zero.and_then(|zero| self.bundle.at(agent, zero));
                known.map_or(0.0, |known| factor * known.loss)
            }
            Ceiling::Declared(_) => self.declared[agent].unwrap_or(0.0),
        };
        Case {
            weights: self.weights.clone(),
            ceilings: self.setup.agents.iter().enumerate().map(ceiling).collect(),
            l2: self.setup.predictor.l2(),
            ball: self.ball.clone(),
            accuracy: Accuracy::new(self.setup.tolerance),
        }
    }
}
