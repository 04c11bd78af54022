//! The numbers that an audit is about, once every ceiling is known.

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
    pub(crate) tolerance: f64,
}

/// The accuracy of a search, unless the verdict's tolerance is smaller.
const ACCURACY: f64 = 1e-6;

impl Case {
    pub(crate) fn agents(&self) -> usize {
        self.ceilings.len()
    }

    pub(crate) fn radius(&self) -> f64 {
        self.ball.radius()
    }

    /// How close known bounds are asked to be.
    pub(crate) fn accuracy(&self) -> f64 {
        if self.tolerance > 0.0 { ACCURACY.min(self.tolerance) } else { ACCURACY }
    }

    /// Bounds on `kappa` that are worth nothing more where `reached` is known: as an audit of pooled
    /// rows would have it, with this share of its accuracy.
    pub(crate) fn target(&self, reached: f64, share: f64) -> f64 {
        let near = reached.max(1.0) * (1.0 + share * self.accuracy());
        let threshold = 1.0 + self.tolerance;
        if reached > threshold { near } else { near.min(threshold) }
    }
}
