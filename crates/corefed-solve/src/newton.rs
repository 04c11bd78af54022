//! Safeguarded Newton over a ball, for objectives that are convex functions of convex losses.

use corefed_core::linalg::{axpy, dot};
use corefed_model::ConvexLosses;

use crate::ball_step::ball_step;
use crate::outer::add_outer;
use crate::rise::Slope;
use crate::{Ball, Halt, Objective};

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonSettings {
    /// Stop at a gap of this times the objective's scale (`W` for log-welfare).
    pub tolerance: f64,
    /// Give up after this many steps and report the gap reached.
    pub max_steps: usize,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self { tolerance: 1e-10, max_steps: 200 }
    }
}

/// Where Newton's method stopped, and how far from the optimum it can be.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// The parameters.
    pub params: Vec<f64>,
    /// Every agent's loss there.
    pub losses: Vec<f64>,
    /// Gradient of the objective.
    pub gradient: Vec<f64>,
    /// Value of the objective.
    pub value: f64,
    /// The value is at most this far above its minimum over the ball: the Frank-Wolfe gap, or less
    /// where the losses are known to curve.
    pub gap: f64,
    /// Steps taken.
    pub steps: usize,
    /// Whether the gap reached the tolerance.
    pub converged: bool,
}

/// Sufficient decrease asked of a step (Armijo).
const ARMIJO: f64 = 1e-4;
/// Relative damping of flat directions; too small to slow convergence where `H` is not flat.
const DAMPING: f64 = 1e-11;

/// Minimises an objective over a ball from a point inside its domain.
///
/// Requirements: convex losses; `start` in the ball with every utility positive (log-welfare).
/// Guarantee: `value - gap` is a lower bound of the minimum whatever happened on the way
/// (ledger E6, E16, E44), also where `halt` ended it between two steps.
/// Cost: per step one gradient and one Hessian pass over the data, and a few factorisations; about
/// ten steps. Reference: damped Newton with the constraint kept in the model.
///
/// # Panics
/// If the start lies outside the domain of the objective.
#[must_use]
pub fn minimise(
    losses: &dyn ConvexLosses,
    objective: &Objective,
    ball: &Ball,
    start: &[f64],
    settings: NewtonSettings,
    halt: Halt<'_>,
) -> Minimum {
    let dim = losses.dim();
    let members: Vec<usize> = (0..losses.agents()).collect();
    let mut here = Point::at(losses, &members, objective, ball.project(start));
    assert!(here.value.is_finite(), "the start must lie in the domain");
    let mut steps = 0;
    let mut gap = here.tangent_gap(ball);
    let mut hessian = vec![0.0; dim * dim];
    let far = |gap: f64, here: &Point| gap > settings.tolerance * objective.scale(&here.losses);
    while far(gap, &here) && steps < settings.max_steps && !halt() {
        here.hessian(losses, &members, &mut hessian);
        let Some(end) = newton_end(&hessian, &here.gradient, &here.params, ball) else { break };
        let direction: Vec<f64> = end.iter().zip(&here.params).map(|(e, p)| e - p).collect();
        let Some(next) = search(losses, &members, objective, &here, (&direction, ball)) else {
            break;
        };
        steps += 1;
        let next_gap = next.tangent_gap(ball);
        // Rounding is all that is left when neither the value nor the gap improves.
        let stalled = next.value >= here.value && next_gap >= gap;
        if stalled {
            break;
        }
        (here, gap) = (next, next_gap);
    }
    // Steps continue until the gradient itself is small, which is what others certify optima by. Where
    // a large ball never lets the tangent say so, curvature may.
    let gap = gap.min(here.gap(losses, &members, objective, ball));
    let converged = !far(gap, &here);
    Minimum {
        params: here.params,
        losses: here.losses,
        gradient: here.gradient,
        value: here.value,
        gap,
        steps,
        converged,
    }
}

/// Where Newton's step from `at` ends: the minimiser over the ball of the quadratic model with this
/// gradient and this Hessian (row-major lower triangle), slightly damped along flat directions
/// (ledger E16). `None` when the numbers overflow.
#[must_use]
pub fn newton_end(hessian: &[f64], gradient: &[f64], at: &[f64], ball: &Ball) -> Option<Vec<f64>> {
    ball_step(hessian, gradient, at, ball, DAMPING)
}

/// Backtracks along a descent direction until the objective decreases enough.
fn search(
    losses: &dyn ConvexLosses,
    members: &[usize],
    objective: &Objective,
    here: &Point,
    (direction, ball): (&[f64], &Ball),
) -> Option<Point> {
    let slope = dot(&here.gradient, direction);
    if slope >= 0.0 {
        return None;
    }
    // Differences below this are rounding of the value itself.
    let noise = 64.0 * f64::EPSILON * (objective.scale(&here.losses) + here.value.abs());
    let mut length = 1.0;
    let mut probe = vec![0.0; members.len()];
    while length > 1e-12 {
        let mut params = here.params.clone();
        axpy(length, direction, &mut params);
        // Between two points of the ball, but for rounding.
        let params = ball.project(&params);
        // A full step is usually taken, so its gradient is worth computing at once; shorter ones
        // are tried by their losses alone.
        let enough = here.value + ARMIJO * length * slope + noise;
        if length == 1.0 {
            let next = Point::at(losses, members, objective, params);
            if next.value <= enough {
                return Some(next);
            }
        } else {
            losses.losses(&params, members, &mut probe);
            if objective.value(&probe) <= enough {
                return Some(Point::at(losses, members, objective, params));
            }
        }
        length *= 0.5;
    }
    None
}

/// An iterate with everything but its Hessian.
struct Point {
    params: Vec<f64>,
    losses: Vec<f64>,
    gradients: Vec<f64>,
    slopes: Vec<f64>,
    curvatures: Vec<f64>,
    gradient: Vec<f64>,
    value: f64,
}

impl Point {
    fn at(
        source: &dyn ConvexLosses,
        members: &[usize],
        objective: &Objective,
        params: Vec<f64>,
    ) -> Self {
        let dim = params.len();
        let mut losses = vec![0.0; members.len()];
        let mut gradients = vec![0.0; members.len() * dim];
        source.gradients(&params, members, &mut losses, &mut gradients);
        let outer = objective.derivatives(&losses);
        let mut gradient = vec![0.0; dim];
        for (slope, row) in outer.slopes.iter().zip(gradients.chunks_exact(dim)) {
            axpy(*slope, row, &mut gradient);
        }
        Self {
            params,
            losses,
            gradients,
            slopes: outer.slopes,
            curvatures: outer.curvatures,
            gradient,
            value: outer.value,
        }
    }

    /// Fills the lower triangle of `sum_i slope_i H_i + curvature_i g_i g_i'` (ledger E16).
    fn hessian(&self, source: &dyn ConvexLosses, members: &[usize], hessian: &mut [f64]) {
        let dim = self.params.len();
        hessian.fill(0.0);
        source.add_hessian(&self.params, members, &self.slopes, hessian);
        for (curvature, row) in self.curvatures.iter().zip(self.gradients.chunks_exact(dim)) {
            if *curvature > 0.0 {
                add_outer(hessian, dim, *curvature, row);
            }
        }
    }

    /// The Frank-Wolfe gap.
    fn tangent_gap(&self, ball: &Ball) -> f64 {
        let descent: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        ball.linear_rise(&descent, &self.params)
    }

    /// The objective is convex and rises with every loss, so it falls at most as far as the losses do
    /// at its present slopes.
    fn gap(
        &self,
        losses: &dyn ConvexLosses,
        members: &[usize],
        objective: &Objective,
        ball: &Ball,
    ) -> f64 {
        let slope = Slope {
            losses,
            members,
            lambda: &self.slopes,
            gradient: &self.gradient,
            at: &self.params,
        };
        slope.rise(ball, objective.scale(&self.losses)).bound
    }
}
