//! Federated Newton on log-welfare: agents send losses, gradients and Hessians, and about ten rounds
//! reach the core.
//!
//! One round is one exchange. The server only needs `sum_i slope_i g_i`, the weighted sum of Hessians and
//! of outer products, so agents may scale locally and send what a secure sum can add. A step that turns out not to
//! improve is halved in the next round, which then costs an exchange, as it would over a network.

use corefed_core::linalg::{axpy, dot};
use corefed_model::ConvexLosses;
use corefed_solve::{Ball, add_outer, newton_end};

use crate::FlooredWelfare;
use crate::welfare::Outer;

/// Sufficient decrease asked of a step (Armijo).
const ARMIJO: f64 = 1e-4;
/// Halvings after which a direction is given up: rounding is all that is left.
const SHORTEST: f64 = 1e-12;

/// What the server remembers between rounds. Plain data, so that a run can stop and resume.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewtonState {
    /// The last point that was accepted and the step tried from it.
    pub trial: Option<Trial>,
}

/// A step from an accepted point.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The accepted parameters.
    pub params: Vec<f64>,
    /// Objective there.
    pub value: f64,
    /// Newton's direction.
    pub direction: Vec<f64>,
    /// Directional derivative, < 0.
    pub slope: f64,
    /// Part of the direction that was tried, in (0, 1].
    pub length: f64,
}

/// What agents told the server in one exchange.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// Their losses at the received model.
    pub losses: Vec<f64>,
    /// How hard each one pulls, `w_i / u_i` floored.
    pub slopes: Vec<f64>,
    /// Those below their floor.
    pub floored: Vec<usize>,
}

/// One exchange (ledger E35): judges the model that agents received and returns the one to send
/// next.
///
/// Requirements: convex losses. Guarantee: accepted values never rise; close to the optimum one round
/// squares the error (ledger E16). Cost: a gradient and a Hessian pass at every agent, one
/// factorisation at the server. Reference: damped Newton with the ball kept in the model.
#[must_use]
pub fn newton_round(
    losses: &dyn ConvexLosses,
    welfare: &FlooredWelfare,
    ball: &Ball,
    params: &[f64],
    state: &mut NewtonState,
) -> (Vec<f64>, Exchange) {
    let dim = params.len();
    let members: Vec<usize> = (0..losses.agents()).collect();
    let mut values = vec![0.0; members.len()];
    let mut gradients = vec![0.0; members.len() * dim];
    losses.gradients(params, &members, &mut values, &mut gradients);
    let outer = welfare.at(&values);
    let next = next_model(losses, ball, params, &gradients, &outer, state);
    let floored = (0..members.len()).filter(|&k| outer.curvatures[k] == 0.0).collect();
    (next, Exchange { losses: values, slopes: outer.slopes, floored })
}

/// Shortens the last step, or takes the next.
fn next_model(
    losses: &dyn ConvexLosses,
    ball: &Ball,
    params: &[f64],
    gradients: &[f64],
    outer: &Outer,
    state: &mut NewtonState,
) -> Vec<f64> {
    let dim = params.len();
    let members: Vec<usize> = (0..losses.agents()).collect();
    if let Some(trial) = &mut state.trial {
        let noise = 64.0 * f64::EPSILON * (1.0 + trial.value.abs());
        let enough = trial.value + ARMIJO * trial.length * trial.slope + noise;
        if outer.value.is_nan() || outer.value > enough {
            trial.length *= 0.5;
            if trial.length < SHORTEST {
                trial.length = 0.0;
            }
            return along(&trial.params, trial.length, &trial.direction);
        }
    }
    let mut gradient = vec![0.0; dim];
    for (slope, row) in outer.slopes.iter().zip(gradients.chunks_exact(dim)) {
        axpy(*slope, row, &mut gradient);
    }
    let mut hessian = vec![0.0; dim * dim];
    losses.add_hessian(params, &members, &outer.slopes, &mut hessian);
    for (curvature, row) in outer.curvatures.iter().zip(gradients.chunks_exact(dim)) {
        if *curvature > 0.0 {
            add_outer(&mut hessian, dim, *curvature, row);
        }
    }
    let Some(end) = newton_end(&hessian, &gradient, params, ball) else { return params.to_vec() };
    let direction: Vec<f64> = end.iter().zip(params).map(|(e, p)| e - p).collect();
    let slope = dot(&gradient, &direction);
    if slope >= 0.0 {
        // Rounding: nothing is left to descend.
        return params.to_vec();
    }
    let next = along(params, 1.0, &direction);
    state.trial =
        Some(Trial { params: params.to_vec(), value: outer.value, direction, slope, length: 1.0 });
    next
}

fn along(from: &[f64], length: f64, direction: &[f64]) -> Vec<f64> {
    let mut params = from.to_vec();
    axpy(length, direction, &mut params);
    params
}

#[cfg(test)]
mod tests {
    use corefed_core::Weights;
    use corefed_model::{Quadratic, QuadraticLosses};

    use super::*;

    /// `t^2` and `(t - 1)^2`.
    fn parabolas() -> QuadraticLosses {
        let parabola =
            |at: f64| Quadratic { matrix: vec![1.0], linear: vec![at], constant: at * at };
        QuadraticLosses::new(1, vec![parabola(0.0), parabola(1.0)], 2.0)
    }

    #[test]
    fn a_few_rounds_reach_the_nash_optimum_of_two_parabolas() {
        // u = 1 - t^2 and 1 - (t - 1)^2 with weights 1 and 1: t = 1/2.
        let welfare =
            FlooredWelfare { weights: Weights::equal(2), ceilings: vec![1.0, 1.0], floor: 0.1 };
        let (losses, ball) = (parabolas(), Ball::about_zero(1, 3.0));
        let mut state = NewtonState::default();
        let mut params = vec![0.0];
        for _ in 0..8 {
            params = newton_round(&losses, &welfare, &ball, &params, &mut state).0;
        }
        assert!((params[0] - 0.5).abs() < 1e-12, "{params:?}");
    }

    #[test]
    fn a_start_where_nobody_has_anything_is_left_by_the_straight_line() {
        let welfare =
            FlooredWelfare { weights: Weights::equal(2), ceilings: vec![1.0, 1.0], floor: 0.1 };
        let (losses, ball) = (parabolas(), Ball::about_zero(1, 3.0));
        let mut state = NewtonState::default();
        let mut params = vec![3.0];
        for _ in 0..12 {
            params = newton_round(&losses, &welfare, &ball, &params, &mut state).0;
        }
        assert!((params[0] - 0.5).abs() < 1e-10, "{params:?}");
    }
}
