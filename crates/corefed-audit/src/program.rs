//! Coalition programs: the best a coalition can do alone, and the conflict that proves it.

use corefed_core::Conflict;
use corefed_core::linalg::axpy;
use corefed_solve::{Maximin, MaximinBounds, Problem, Rise, Slope, Until};

/// Interior-point steps before a program is given up; its bounds hold all the same.
const MAX_STEPS: usize = 100;
/// Members with a smaller multiplier are left out of a conflict when that costs next to nothing.
const NEGLIGIBLE: f64 = 1e-3;
/// How much a bound may grow, relatively, for a conflict of fewer agents.
const COST_OF_TRIMMING: f64 = 1e-7;

/// A solved coalition program.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it reached, and what it proved, on the way.
    pub bounds: MaximinBounds,
    /// The proof, with as few agents as possible.
    pub conflict: Conflict,
}

/// `V(S) = max_x min_{i in S} u_i(x) / u_i(theta)` with two-sided bounds (ledger E10).
///
/// `now` holds every agent's utility under the incumbent; those of the members must be positive. A program that is
/// halted ends with what it proved until then.
#[must_use]
pub fn coalition_program(
    problem: &Problem<'_>,
    now: &[f64],
    members: &[usize],
    start: &[f64],
    until: Until,
) -> Program {
    let pick = |values: &[f64]| members.iter().map(|&i| values[i]).collect::<Vec<_>>();
    let program = Maximin {
        losses: problem.losses,
        members,
        ceilings: &pick(&problem.ceilings),
        scales: &pick(now),
        ball: &problem.ball,
    };
    let bounds = program.solve_unless(&|| problem.is_halted(), start, until, MAX_STEPS);
    let conflict = conflict(problem, now, members, &bounds);
    Program { bounds, conflict }
}

/// Turns multipliers into a conflict, recomputed from scratch, with as few agents as possible.
fn conflict(
    problem: &Problem<'_>,
    now: &[f64],
    members: &[usize],
    bounds: &MaximinBounds,
) -> Conflict {
    let largest = bounds.multipliers.iter().copied().fold(0.0, f64::max);
    let keep = |least: f64| {
        let pairs = members.iter().zip(&bounds.multipliers);
        pairs.filter(|(_, p)| **p > least * largest).map(|(i, p)| (*i, *p)).unzip()
    };
    let all = dual_proof(problem, now, keep(0.0), &bounds.point);
    let few = keep(NEGLIGIBLE);
    if few.0.len() == all.agents.len() {
        return all;
    }
    let few = dual_proof(problem, now, few, &bounds.point);
    let limit = all.bound + COST_OF_TRIMMING * all.bound.abs();
    if few.bound <= limit { few } else { all }
}

/// The bound that multipliers on gains prove at a point: the smaller of the tangent's (ledger E10) and
/// the one by curvature (ledger E44).
pub(crate) fn dual_proof(
    problem: &Problem<'_>,
    now: &[f64],
    (agents, gains): (Vec<usize>, Vec<f64>),
    point: &[f64],
) -> Conflict {
    let mass: f64 = gains.iter().sum();
    let multipliers: Vec<f64> =
        agents.iter().zip(&gains).map(|(&i, p)| p / (mass * now[i])).collect();
    let (value, rise) = weighted_bound(problem, &agents, &multipliers, point);
    let (point, bound) = (point.to_vec(), value + rise.bound);
    Conflict { agents, multipliers, point, correction: None, bound, sphere: rise.sphere }
}

/// `sum_i lambda_i u_i` at a point, and how much it can rise from there over the ball.
pub(crate) fn weighted_bound(
    problem: &Problem<'_>,
    agents: &[usize],
    lambda: &[f64],
    point: &[f64],
) -> (f64, Rise) {
    let dim = point.len();
    let mut losses = vec![0.0; agents.len()];
    let mut gradients = vec![0.0; agents.len() * dim];
    problem.losses.gradients(point, agents, &mut losses, &mut gradients);
    let (mut value, mut gradient) = (0.0, vec![0.0; dim]);
    for (k, row) in gradients.chunks_exact(dim).enumerate() {
        value += lambda[k] * (problem.ceilings[agents[k]] - losses[k]);
        axpy(lambda[k], row, &mut gradient);
    }
    let slope =
        Slope { losses: problem.losses, members: agents, lambda, gradient: &gradient, at: point };
    (value, slope.rise(&problem.ball, value))
}
