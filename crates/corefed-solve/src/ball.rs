//! The set of admissible parameters: a ball.

use corefed_core::frank_wolfe_gap;
use corefed_core::linalg::norm_l2;

/// `{ x : |x - center| <= radius }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Ball {
    center: Vec<f64>,
    radius: f64,
}

impl Ball {
    /// The ball about zero that predictors and rivals live in.
    ///
    /// # Panics
    /// If the radius is not positive and finite; callers check what users type.
    #[must_use]
    pub fn about_zero(dim: usize, radius: f64) -> Self {
        Self::new(vec![0.0; dim], radius)
    }

    /// A ball about any centre.
    ///
    /// # Panics
    /// If the radius is not positive and finite.
    #[must_use]
    pub fn new(center: Vec<f64>, radius: f64) -> Self {
        assert!(radius > 0.0 && radius.is_finite(), "a ball needs a positive radius");
        Self { center, radius }
    }

    /// Its radius.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Its centre.
    #[must_use]
    pub fn center(&self) -> &[f64] {
        &self.center
    }

    /// `x - center`.
    pub(crate) fn offset(&self, x: &[f64]) -> Vec<f64> {
        x.iter().zip(&self.center).map(|(x, c)| x - c).collect()
    }

    /// The point nearest to `x` within `fraction` of the radius from the centre.
    pub(crate) fn pull(&self, x: &[f64], fraction: f64) -> Vec<f64> {
        let offset = self.offset(x);
        let (norm, limit) = (norm_l2(&offset), fraction * self.radius);
        if norm <= limit {
            return x.to_vec();
        }
        offset.iter().zip(&self.center).map(|(o, c)| c + o * (limit / norm)).collect()
    }

    /// `max <ascent, x - at>` over the ball: how much a linear function can still rise.
    pub(crate) fn linear_rise(&self, ascent: &[f64], at: &[f64]) -> f64 {
        frank_wolfe_gap(ascent, &self.offset(at), self.radius)
    }
}
