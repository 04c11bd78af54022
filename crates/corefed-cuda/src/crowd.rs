//! Agents that train together.

use crate::precision::Precision;

/// What agents that train together are used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Steps of their own.
    Train,
    /// One model: gradients are added up.
    Gradient,
    /// One model: losses only.
    Evaluate,
}

/// Sizes that decide about kernels and buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crowd {
    pub(crate) agents: usize,
    pub(crate) batch: usize,
    pub(crate) purpose: Use,
    pub(crate) momentum: bool,
    /// Whether something is added to gradients.
    pub(crate) drift: bool,
}

impl Crowd {
    /// How it computes where training is as `asked`. Losses, and gradients that an audit looks at, judge a model, and
    /// must not depend on how it was trained.
    pub(crate) fn precision(self, asked: Precision) -> Precision {
        match self.purpose {
            Use::Train => asked,
            Use::Gradient | Use::Evaluate => Precision::Fp32,
        }
    }

    /// Agents that there is room for: a power of two or half as many more, so that cohorts of about the same
    /// size share kernels.
    pub(crate) fn places(self) -> usize {
        let above = self.agents.next_power_of_two();
        let between = above / 4 * 3;
        if between >= self.agents { between } else { above }
    }
}
