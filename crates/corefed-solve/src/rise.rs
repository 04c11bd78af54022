//! How much a weighted sum of utilities can still rise over a ball, by tangent and by curvature.

use corefed_core::linalg::{dot, norm_l2};
use corefed_model::{Cholesky, ConvexLosses, damped};

use crate::Ball;

/// A curved bound replaces the tangent's when it is lower by more than this, relative to the sum.
const WORTH_A_FACTOR: f64 = 1e-10;
/// Diagonals are lowered by this share before they are factored: what is proven then leaves room for
/// a checker that counts rounding in.
const ROOM: f64 = 1e-12;
/// Diagonals are raised by this share where redundant features leave the matrix singular: losses are flat
/// along them, and have no slope there but for rounding.
const FLAT: f64 = 1e-12;
/// Points within this share of the radius may be held back by the sphere.
const NEAR_SPHERE: f64 = 0.01;

/// A point, where a sum of losses with coefficients `lambda` has this gradient.
#[derive(Clone, Copy)]
pub struct Slope<'a> {
    /// Losses of all agents.
    pub losses: &'a dyn ConvexLosses,
    /// Those in the sum, ascending.
    pub members: &'a [usize],
    /// Their coefficients, `>= 0`.
    pub lambda: &'a [f64],
    /// `sum_i lambda_i grad L_i(at)`.
    pub gradient: &'a [f64],
    /// The point, in the ball.
    pub at: &'a [f64],
}

/// A bound on a rise, computed in doubles: what certificates claim is proven elsewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rise {
    /// `sum_i lambda_i (L_i(at) - L_i(x))` is at most this for every `x` in the ball.
    pub bound: f64,
    /// The multiplier of the sphere that proves it (ledger E44); where absent the tangent does, here or
    /// at a point beyond the precision of doubles (ledger E10).
    pub sphere: Option<f64>,
}

impl Slope<'_> {
    /// The smaller of the tangent's bound and the one that uses how losses curve; the latter only
    /// where it matters at the size of `scale`.
    ///
    /// With a large ball the tangent is hopeless: its gradient cannot be smaller than rounding leaves
    /// it, and the radius multiplies that.
    #[must_use]
    pub fn rise(&self, ball: &Ball, scale: f64) -> Rise {
        let ascent: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        let tangent = ball.linear_rise(&ascent, self.at);
        let worth = WORTH_A_FACTOR * scale.abs();
        if tangent > worth
            && let Some((bound, sphere)) = self.curved(ball)
            && bound < tangent - worth
        {
            return Rise { bound, sphere };
        }
        Rise { bound: tangent, sphere: None }
    }

    /// The bound by curvature with the better of two multipliers of the sphere: none, and the one
    /// that would be optimal here.
    fn curved(&self, ball: &Ball) -> Option<(f64, Option<f64>)> {
        let offset = ball.offset(self.at);
        let mass: f64 = self.lambda.iter().sum();
        let hessian = self.losses.constant_hessians().then(|| {
            let mut hessian = vec![0.0; self.at.len().pow(2)];
            self.losses.add_hessian(self.at, self.members, self.lambda, &mut hessian);
            hessian
        });
        let modulus = mass * self.losses.strong_convexity();
        let norm = norm_l2(&offset);
        let held = if norm >= (1.0 - NEAR_SPHERE) * ball.radius() {
            (-dot(self.gradient, &offset) / (norm * norm)).max(0.0)
        } else {
            0.0
        };
        let bound = |nu: f64| {
            let mut h: Vec<f64> =
                self.gradient.iter().zip(&offset).map(|(g, o)| g + nu * o).collect();
            let mut curves = true;
            let bent = if let Some(hessian) = &hessian {
                let definite = Cholesky::new(hessian, h.len(), |a| a * (1.0 - ROOM) + nu);
                curves = definite.is_some();
                let factor = definite
                    .or_else(|| Cholesky::new(hessian, h.len(), |a| damped(a, FLAT) + nu))?;
                factor.half_solve(&mut h);
                0.5 * dot(&h, &h)
            } else {
                let curvature = modulus * (1.0 - ROOM) + nu;
                (curvature > 0.0).then(|| 0.5 * dot(&h, &h) / curvature)?
            };
            let room = (ball.radius() - norm) * (ball.radius() + norm);
            let bound = 0.5 * nu * room.max(0.0) + bent;
            bound.is_finite().then_some((bound, curves.then_some(nu)))
        };
        let free = bound(0.0);
        let held = if held > 0.0 { bound(held) } else { None };
        free.into_iter().chain(held).min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use corefed_model::{Quadratic, QuadraticLosses};
    use proptest::prelude::*;

    fn parabola(target: f64) -> QuadraticLosses {
        let form = Quadratic { matrix: vec![1.0], linear: vec![target], constant: target * target };
        QuadraticLosses::new(1, vec![form], 2.0)
    }

    fn rise(losses: &QuadraticLosses, at: f64, radius: f64) -> Rise {
        let (mut loss, mut gradient) = ([0.0], [0.0]);
        losses.gradients(&[at], &[0], &mut loss, &mut gradient);
        let slope = Slope { losses, members: &[0], lambda: &[1.0], gradient: &gradient, at: &[at] };
        slope.rise(&Ball::about_zero(1, radius), 1.0)
    }

    #[test]
    fn a_parabola_rises_by_what_its_curvature_says() {
        // From t = 3, (t - 2)^2 can fall by exactly 1, whatever the radius; the tangent says
        // 2 (R + 3).
        for radius in [4.0, 1e9] {
            let found = rise(&parabola(2.0), 3.0, radius);
            assert!((found.bound - 1.0).abs() < 1e-11, "{found:?}");
            assert_eq!(found.sphere, Some(0.0));
        }
    }

    #[test]
    fn at_the_sphere_its_multiplier_proves_that_nothing_is_left() {
        // (t - 5)^2 on |t| <= 2 is least at t = 2, where g = -6 = -nu t with nu = 3. From t = 1.99
        // it can fall by 3.01^2 - 9 = 0.0601.
        assert!(rise(&parabola(5.0), 2.0, 2.0).bound.abs() < 1e-12);
        let near = rise(&parabola(5.0), 1.99, 2.0);
        assert!(near.bound >= 0.0601 - 1e-12 && near.bound < 0.0603, "{near:?}");
    }

    #[test]
    fn flat_directions_need_no_curvature() {
        // (x + y)^2 is flat along (1, -1), and at (1, 0) it can fall by exactly 1. No matrix proves that.
        let form = Quadratic { matrix: vec![1.0; 4], linear: vec![0.0; 2], constant: 0.0 };
        let losses = QuadraticLosses::new(2, vec![form], 0.0);
        let slope = Slope {
            losses: &losses,
            members: &[0],
            lambda: &[1.0],
            gradient: &[2.0, 2.0],
            at: &[1.0, 0.0],
        };
        for radius in [3.0, 1e9] {
            let found = slope.rise(&Ball::about_zero(2, radius), 1.0);
            assert_eq!(found.sphere, None);
            assert!((found.bound - 1.0).abs() < 1e-9, "{found:?}");
        }
    }

    proptest! {
        /// No point of the ball falls further than the bound, from anywhere in it.
        #[test]
        fn nothing_in_the_ball_rises_further(
            root in prop::collection::vec(-1.0..1.0_f64, 9),
            linear in prop::collection::vec(-3.0..3.0_f64, 3),
            at in prop::collection::vec(-1.0..1.0_f64, 3),
            rival in prop::collection::vec(-1.0..1.0_f64, 3),
        ) {
            let ball = Ball::about_zero(3, 1.0);
            let mut matrix = vec![0.0; 9];
            for i in 0..3 {
                for j in 0..3 {
                    matrix[3 * i + j] = (0..3).map(|k| root[3 * i + k] * root[3 * j + k]).sum();
                }
            }
            // A constant that keeps the loss positive, so that nothing is clamped.
            let form = Quadratic { matrix, linear, constant: 100.0 };
            let losses = QuadraticLosses::new(3, vec![form], 0.0);
            let (at, rival) = (ball.project(&at), ball.project(&rival));
            let (mut here, mut there, mut gradient) = ([0.0], [0.0], [0.0; 3]);
            losses.gradients(&at, &[0], &mut here, &mut gradient);
            losses.losses(&rival, &[0], &mut there);
            let slope =
                Slope { losses: &losses, members: &[0], lambda: &[1.0], gradient: &gradient, at: &at };
            let found = slope.rise(&ball, 0.0);
            prop_assert!(here[0] - there[0] <= found.bound + 1e-10, "{found:?}");
        }
    }
}
