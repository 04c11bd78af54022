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

    /// Whether `x` is provably inside: its distance from the centre, rounded up, is at most the radius.
    #[must_use]
    pub fn contains(&self, x: &[f64]) -> bool {
        rounded_up(norm_l2(&self.offset(x)), x.len()) <= self.radius
    }

    /// `x` if it is provably inside, else the point nearest to it that is, so close to the sphere that
    /// only rounding tells them apart.
    #[must_use]
    pub fn project(&self, x: &[f64]) -> Vec<f64> {
        if self.contains(x) {
            return x.to_vec();
        }
        let offset = self.offset(x);
        // Divided by the largest entry first: squares must not overflow.
        let largest = offset.iter().fold(0.0_f64, |most, o| most.max(o.abs()));
        let norm = norm_l2(&offset.iter().map(|o| o / largest).collect::<Vec<_>>());
        let limit = self.radius * (1.0 - 4.0 * rounding(x.len()));
        offset.iter().zip(&self.center).map(|(o, c)| c + o / largest * (limit / norm)).collect()
    }

    /// `max <ascent, x - at>` over the ball: how much a linear function can still rise.
    pub(crate) fn linear_rise(&self, ascent: &[f64], at: &[f64]) -> f64 {
        frank_wolfe_gap(ascent, &self.offset(at), self.radius)
    }
}

/// A bound of the relative rounding error of a norm of `dim` numbers, twice over.
fn rounding(dim: usize) -> f64 {
    (dim as f64 + 8.0) * f64::EPSILON
}

/// At least the norm that was computed as `norm`.
fn rounded_up(norm: f64, dim: usize) -> f64 {
    norm * (1.0 + rounding(dim))
}

/// How far beyond its ball a model may lie, relative to the radius, for the ball to be enlarged.
const ENLARGED: f64 = 1e-9;

/// The radius of a ball about zero that provably contains `parameters`: the one given where it does,
/// else one just large enough if the parameters are on the sphere but for rounding. `None` for
/// parameters that lie outside: no statement about the ball is one about them.
#[must_use]
pub fn ball_for(radius: f64, parameters: &[f64]) -> Option<f64> {
    let norm = rounded_up(norm_l2(parameters), parameters.len());
    if norm <= radius {
        Some(radius)
    } else if norm <= radius * (1.0 + ENLARGED) {
        Some(norm.next_up())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_model_on_the_sphere_gets_a_ball_that_contains_it() {
        assert_eq!(ball_for(5.0, &[3.0, 3.9]), Some(5.0));
        let enlarged = ball_for(5.0, &[3.0, 4.0]).unwrap();
        assert!(enlarged > 5.0 && enlarged < 5.0 + 1e-13);
        assert!(Ball::about_zero(2, enlarged).contains(&[3.0, 4.0]));
        assert!(ball_for(5.0, &[3.0, 4.0 + 1e-9]).is_some());
        assert_eq!(ball_for(5.0, &[3.0, 4.1]), None);
        assert_eq!(ball_for(5.0, &[f64::NAN, 0.0]), None);
        assert_eq!(ball_for(5.0, &[1e200, 0.0]), None);
    }

    proptest! {
        #[test]
        fn projected_points_are_inside_with_rounding_counted_in(
            x in prop::collection::vec(-1e3..1e3_f64, 1..40),
            log_radius in -6.0..9.0_f64,
        ) {
            let ball = Ball::about_zero(x.len(), 10_f64.powf(log_radius));
            let inside = ball.project(&x);
            prop_assert!(ball.contains(&inside));
            // Projecting again changes nothing.
            prop_assert_eq!(ball.project(&inside), inside);
        }
    }
}
