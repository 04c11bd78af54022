//! The numbers that an audit is about, once every ceiling is known.

use corefed_audit::Accuracy;
use corefed_core::Weights;
use corefed_solve::Ball;

/// Ceilings, weights, ridge and ball.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) weights: Weights,
    /// Of an absent agent: zero, and never used.
    pub(crate) ceilings: Vec<f64>,
    pub(crate) l2: f64,
    pub(crate) ball: Ball,
    pub(crate) accuracy: Accuracy,
}

impl Case {
    pub(crate) fn agents(&self) -> usize {
        self.ceilings.len()
    }

    pub(crate) fn radius(&self) -> f64 {
        self.ball.radius()
    }
}
