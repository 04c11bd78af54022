//! The best worst-off member: `max_x min_i (c_i - L_i(x)) / s_i` over a ball, with two-sided bounds.
//!
//! One program serves three questions. With `c` the ceilings and `s` the incumbent's utilities
//! it is `V(S)`, the best a coalition can do alone; with `s = 1` it is the egalitarian rule; and the
//! sign of the latter says whether a federation is feasible at all.

use corefed_model::ConvexLosses;

use crate::Ball;

/// A maximin program.
#[derive(Clone, Copy)]
pub struct Maximin<'a> {
    /// Losses of all agents.
    pub losses: &'a dyn ConvexLosses,
    /// The coalition, ascending, not empty.
    pub members: &'a [usize],
    /// `c_i` of every member.
    pub ceilings: &'a [f64],
    /// `s_i > 0` of every member.
    pub scales: &'a [f64],
    /// Where parameters may lie.
    pub ball: &'a Ball,
}

/// When an answer is good enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Until {
    /// The bounds are this close, relative to `1 + |bound|`.
    Gap(f64),
    /// The sign is known: the lower bound is positive and half of the upper, or the upper is not
    /// positive.
    Sign,
    /// The value is known not to exceed `threshold`, or known to exceed it with the bounds this
    /// close, relative to `1 + |bound|`.
    Threshold {
        /// What the value is compared with.
        threshold: f64,
        /// How close the bounds must be above it.
        gap: f64,
    },
}

/// Bounds on the value, each with what proves it.
#[derive(Clone, Debug, PartialEq)]
pub struct MaximinBounds {
    /// Reached by `params`.
    pub lower: f64,
    /// Proven by `multipliers` at `point`.
    pub upper: f64,
    /// The best parameters found.
    pub params: Vec<f64>,
    /// `p_i >= 0` on `(c_i - L_i)/s_i`, summing to one over the members.
    pub multipliers: Vec<f64>,
    /// Where the bound `upper` is taken, in the ball.
    pub point: Vec<f64>,
    /// The multiplier of the sphere, where curvature proves `upper` (ledger E44) and not the tangent.
    pub sphere: Option<f64>,
    /// Newton steps taken.
    pub steps: usize,
}

impl MaximinBounds {
    /// Whether the bounds are this close, relative to `1 + |upper|`.
    #[must_use]
    pub fn within(&self, tolerance: f64) -> bool {
        self.upper - self.lower <= tolerance * (1.0 + self.upper.abs())
    }
}

impl Until {
    pub(crate) fn reached(self, bounds: &MaximinBounds) -> bool {
        let (lower, upper) = (bounds.lower, bounds.upper);
        match self {
            Self::Gap(tolerance) => bounds.within(tolerance),
            Self::Sign => upper <= 0.0 || (lower > 0.0 && lower >= 0.5 * upper),
            Self::Threshold { threshold, gap } => {
                upper <= threshold || (lower > threshold && bounds.within(gap))
            }
        }
    }
}

impl Maximin<'_> {
    /// Utilities and loss gradients of the members.
    pub(crate) fn evaluate(&self, params: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut values = vec![0.0; self.members.len()];
        let mut gradients = vec![0.0; self.members.len() * params.len()];
        self.losses.gradients(params, self.members, &mut values, &mut gradients);
        for (value, ceiling) in values.iter_mut().zip(self.ceilings) {
            *value = ceiling - *value;
        }
        (values, gradients)
    }
}
