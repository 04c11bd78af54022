//! A federation with its ceilings, weights and ball: what every rule and audit is about.

use corefed_core::{Weights, utilities};
use corefed_model::ConvexLosses;

use crate::Ball;

/// Agents' losses, what they are worth, and where parameters may lie.
pub struct Problem<'a> {
    /// Losses of all agents.
    pub losses: &'a dyn ConvexLosses,
    /// `M_i`, the loss at which agent `i` gets nothing.
    pub ceilings: Vec<f64>,
    /// The say of each agent.
    pub weights: Weights,
    /// The ball about zero of predictors and rivals.
    pub ball: Ball,
    /// Who may end a program in the middle; its bounds hold all the same.
    pub halt: Option<Halt<'a>>,
}

/// Answers whether what is being computed should end. Asked after every step of a program, by any thread.
pub type Halt<'a> = &'a (dyn Fn() -> bool + Sync);

impl<'a> Problem<'a> {
    /// Joins the parts.
    ///
    /// # Panics
    /// If the numbers of agents disagree.
    #[must_use]
    pub fn new(
        losses: &'a dyn ConvexLosses,
        ceilings: Vec<f64>,
        weights: Weights,
        radius: f64,
    ) -> Self {
        assert_eq!(losses.agents(), ceilings.len(), "one ceiling per agent");
        assert_eq!(losses.agents(), weights.values().len(), "one weight per agent");
        let ball = Ball::about_zero(losses.dim(), radius);
        Self { losses, ceilings, weights, ball, halt: None }
    }

    /// The same problem, whose programs somebody may end.
    #[must_use]
    pub fn halted_by<'b>(&'b self, halt: Halt<'b>) -> Problem<'b> {
        Problem {
            losses: self.losses,
            ceilings: self.ceilings.clone(),
            weights: self.weights.clone(),
            ball: self.ball.clone(),
            halt: Some(halt),
        }
    }

    /// Whether somebody asked its programs to end.
    #[must_use]
    pub fn is_halted(&self) -> bool {
        self.halt.is_some_and(|halt| halt())
    }

    /// Number of agents.
    #[must_use]
    pub fn agents(&self) -> usize {
        self.ceilings.len()
    }

    /// All agents, ascending.
    #[must_use]
    pub fn everybody(&self) -> Vec<usize> {
        (0..self.agents()).collect()
    }

    /// Every agent's loss at some parameters.
    #[must_use]
    pub fn losses_at(&self, params: &[f64]) -> Vec<f64> {
        let mut losses = vec![0.0; self.agents()];
        self.losses.losses(params, &self.everybody(), &mut losses);
        losses
    }

    /// Every agent's utility at some parameters (ledger E1).
    #[must_use]
    pub fn utilities_at(&self, params: &[f64]) -> Vec<f64> {
        utilities(&self.ceilings, &self.losses_at(params))
    }
}
