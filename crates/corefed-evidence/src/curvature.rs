//! How far losses curve on a ball, and how that is known.

/// How much something curves, and how that is known.
#[derive(Clone, Copy)]
pub enum Curvature<'a> {
    /// A proven bound on the ball of the given radius about the incumbent, non-decreasing in the
    /// radius.
    Proven(&'a dyn Fn(f64) -> f64),
    /// A number without a proof, taken to hold on every ball.
    Estimated {
        /// The number, >= 0.
        value: f64,
        /// How it was found, as a sentence.
        method: &'a str,
    },
    /// There is no bound, as at the kinks of a ReLU or of max-pooling.
    Infinite {
        /// Why not.
        reason: &'a str,
    },
}

impl Curvature<'_> {
    /// On a ball of this radius; infinite where the bound given is not a number.
    pub(crate) fn within(&self, radius: f64) -> f64 {
        match self {
            Self::Proven(bound) if bound(radius).is_nan() => f64::INFINITY,
            Self::Proven(bound) => bound(radius).max(0.0),
            Self::Estimated { value, .. } => *value,
            Self::Infinite { .. } => f64::INFINITY,
        }
    }
}

/// Whether a number can be the size of something.
pub(crate) fn is_size(value: f64) -> bool {
    value >= 0.0 && value.is_finite()
}
