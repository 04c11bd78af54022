//! The minimiser of a convex quadratic over a ball: one Newton step that respects the constraint.

use corefed_core::linalg::{dot, norm_l2};
use corefed_model::{Cholesky, damped};

use crate::Ball;

/// A multiplier for the ball is accepted when the step's end is this close to the sphere,
/// relative to the radius. Newton's method on the secular equation gains two digits a step.
const SPHERE_TOLERANCE: f64 = 1e-13;

/// Minimises `g'd + d'Hd / 2` over the steps `d` from `at` that end in the ball (ledger E16), and
/// returns the end.
///
/// `hessian` is the row-major lower triangle of a positive semidefinite `H`. Redundant features
/// (one-hot columns beside an intercept) make `H` singular; its diagonal is raised by a relative
/// `damping` so that flat directions stay where they are.
///
/// Requirements: `at` in the ball. Guarantee: the exact minimiser to rounding: either inside, or on
/// the sphere with `(H + nu I) d = -g - nu (at - center)` and `nu > 0`. The equation is solved for the
/// step, so that a large `at` does not cost the digits of a small `g`. Cost: one factorisation
/// inside, about five on the sphere. Reference: Moré and Sorensen (1983).
///
/// `None` when the numbers overflow: there is no step to take.
pub(crate) fn ball_step(
    hessian: &[f64],
    gradient: &[f64],
    at: &[f64],
    ball: &Ball,
    damping: f64,
) -> Option<Vec<f64>> {
    let offset = ball.offset(at);
    let solve = |nu: f64| {
        let mut damping = damping;
        // Rounding can make a semidefinite matrix indefinite: damp until it is not.
        while damping < 1.0 {
            if let Some(factor) = Cholesky::new(hessian, at.len(), |a| damped(a, damping) + nu) {
                let mut step: Vec<f64> =
                    gradient.iter().zip(&offset).map(|(g, o)| -g - nu * o).collect();
                factor.solve(&mut step);
                let reached: Vec<f64> = offset.iter().zip(&step).map(|(o, d)| o + d).collect();
                return Some((step, reached, factor));
            }
            damping = 10.0 * damping.max(f64::EPSILON);
        }
        None
    };
    let radius = ball.radius();
    let (mut step, mut reached, mut factor) = solve(0.0)?;
    let mut nu = 0.0;
    let mut norm = norm_l2(&reached);
    // Newton on 1/|reached(nu)| = 1/R, which is nearly linear and approached from the left.
    for _ in 0..60 {
        if norm <= radius * (1.0 + SPHERE_TOLERANCE) {
            break;
        }
        let mut half = reached.clone();
        factor.half_solve(&mut half);
        let next = nu + (norm * norm / dot(&half, &half)) * (norm - radius) / radius;
        if next <= nu {
            break;
        }
        nu = next;
        (step, reached, factor) = solve(nu)?;
        norm = norm_l2(&reached);
    }
    let end: Vec<f64> = at.iter().zip(&step).map(|(x, d)| x + d).collect();
    end.iter().all(|x| x.is_finite()).then(|| ball.project(&end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_the_ball_it_is_the_newton_step() {
        // x^2 + 2 y^2 - 2x - 4y has its minimum at (1, 1).
        let step = ball_step(
            &[2.0, 0.0, 0.0, 4.0],
            &[-2.0, -4.0],
            &[0.0; 2],
            &Ball::about_zero(2, 5.0),
            0.0,
        )
        .unwrap();
        assert!((step[0] - 1.0).abs() < 1e-14 && (step[1] - 1.0).abs() < 1e-14, "{step:?}");
    }

    #[test]
    fn on_the_sphere_the_gradient_points_outwards() {
        let ball = Ball::new(vec![1.0, 0.0], 0.5);
        let (hessian, gradient) = ([2.0, 0.0, 0.0, 4.0], [-20.0, 3.0]);
        let x = ball_step(&hessian, &gradient, &[1.0, 0.0], &ball, 0.0).unwrap();
        let offset = [x[0] - 1.0, x[1]];
        assert!((norm_l2(&offset) - 0.5).abs() < 1e-12);
        // The model's gradient at x is -nu times the offset from the centre.
        let slope = [-20.0 + 2.0 * offset[0], 3.0 + 4.0 * offset[1]];
        let nu = -slope[0] / offset[0];
        assert!(nu > 0.0 && (slope[1] + nu * offset[1]).abs() < 1e-9, "{slope:?}");
    }

    #[test]
    fn flat_directions_do_not_move() {
        // H = [[1, 1], [1, 1]], g = (-1, -1): every x + y = 1 is optimal; from (3, -3) damping picks
        // the nearest, (3.5, -2.5).
        let x = ball_step(
            &[1.0, 0.0, 1.0, 1.0],
            &[-1.0, -1.0],
            &[3.0, -3.0],
            &Ball::about_zero(2, 50.0),
            1e-9,
        )
        .unwrap();
        assert!((x[0] - 3.5).abs() < 1e-6 && (x[1] + 2.5).abs() < 1e-6, "{x:?}");
    }

    #[test]
    fn a_distant_start_does_not_cost_the_digits_of_the_step() {
        // H = [[2, 1], [1, 2]], g = (1e-6, 0): the step is (-2, 1) * 1e-6 / 3, also from 1e6.
        let at = [1e6, -1e6];
        let end =
            ball_step(&[2.0, 0.0, 1.0, 2.0], &[1e-6, 0.0], &at, &Ball::about_zero(2, 1e9), 0.0)
                .unwrap();
        // What is left is the spacing of numbers around 1e6.
        assert!((end[0] - at[0] + 2e-6 / 3.0).abs() < 2e-10, "{end:?}");
        assert!((end[1] - at[1] - 1e-6 / 3.0).abs() < 2e-10, "{end:?}");
    }
}
