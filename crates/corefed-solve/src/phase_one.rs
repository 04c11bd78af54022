//! Phase one: a predictor that gives everybody something, or a proof that there is none.

use corefed_core::linalg::{axpy, norm_l2};
use thiserror::Error;

use crate::egalitarian::egalitarian;
use crate::maximin::{MaximinBounds, Until};
use crate::newton::{NewtonSettings, minimise};
use crate::rise::Slope;
use crate::{Objective, Problem};

/// No predictor is known that gives every agent a positive utility.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Infeasible {
    /// There is none in the ball.
    #[error(
        "no predictor in the ball gives everybody a positive utility: whatever it is, the weighted \
         utility of agents {agents:?} stays at or below `{bound:.6}`"
    )]
    Proven {
        /// Agents that cannot all be positive: those in the proof, ascending.
        agents: Vec<usize>,
        /// Their multipliers, summing to one.
        multipliers: Vec<f64>,
        /// Upper bound of the weighted sum of their utilities over the ball, below zero.
        bound: f64,
        /// The smallest common raise of all ceilings that would make room.
        shortfall: f64,
    },
    /// None was found, and none was ruled out.
    #[error(
        "no predictor was found that gives everybody a positive utility: the best one found leaves \
         the worst-off agent with `{reached:e}`, and at most `{bound:e}` is possible"
    )]
    NotFound {
        /// The smallest utility under the best predictor found, at most zero.
        reached: f64,
        /// No predictor in the ball gives everybody more.
        bound: f64,
    },
}

/// How well the proof of infeasibility is solved.
const GAP: f64 = 1e-8;
/// A bound is clearly negative when it is so by this share of the numbers it is computed from.
const CLEAR: f64 = 1e-12;
/// Sets of agents tried for a proof grow by one part in this many, once they are large.
const GROWTH: usize = 4;

/// Parameters that give everybody a positive utility, `start` if it does, and the steps it took (ledger E17).
pub(crate) fn feasible_start(
    problem: &Problem<'_>,
    start: &[f64],
) -> Result<(Vec<f64>, usize), Infeasible> {
    let serves = |params: &[f64]| problem.utilities_at(params).iter().all(|u| *u > 0.0);
    if serves(start) {
        return Ok((start.to_vec(), 0));
    }
    // The best mean is a better start than zero where targets have an offset, and often enough.
    let weights = vec![1.0; problem.agents()];
    let settings = NewtonSettings::default();
    let (average, halt) = (Objective::Average { weights }, || problem.is_halted());
    let mean = minimise(problem.losses, &average, &problem.ball, start, settings, &halt);
    if serves(&mean.params) {
        return Ok((mean.params, mean.steps));
    }
    let bounds = egalitarian(problem, &mean.params, Until::Sign);
    if bounds.lower > 0.0 {
        return Ok((bounds.params, mean.steps + bounds.steps));
    }
    // The sign is known long before the multipliers settle, and they name the agents.
    let bounds = egalitarian(problem, &bounds.params, Until::Gap(GAP));
    if bounds.lower > 0.0 {
        return Ok((bounds.params, mean.steps + bounds.steps));
    }
    Err(Proof::at(problem, &bounds)
        .smallest(&bounds)
        .unwrap_or(Infeasible::NotFound { reached: bounds.lower, bound: bounds.upper }))
}

/// What multipliers and a point prove about sets of agents.
struct Proof<'a> {
    problem: &'a Problem<'a>,
    point: &'a [f64],
    /// Agents by falling multiplier.
    order: Vec<usize>,
    multipliers: &'a [f64],
    losses: Vec<f64>,
    gradients: Vec<f64>,
}

impl<'a> Proof<'a> {
    fn at(problem: &'a Problem<'a>, bounds: &'a MaximinBounds) -> Self {
        let (multipliers, point) = (&bounds.multipliers, &bounds.point);
        let mut order = problem.everybody();
        order.retain(|&agent| multipliers[agent] > 0.0);
        order.sort_by(|&a, &b| multipliers[b].total_cmp(&multipliers[a]).then(a.cmp(&b)));
        let mut losses = vec![0.0; problem.agents()];
        let mut gradients = vec![0.0; problem.agents() * point.len()];
        problem.losses.gradients(point, &problem.everybody(), &mut losses, &mut gradients);
        Self { problem, point, order, multipliers, losses, gradients }
    }

    /// The fewest agents, those with the largest multipliers, that the proof needs: an agent is left
    /// out only if the others' multipliers still prove a bound that is clearly negative.
    fn smallest(&self, bounds: &MaximinBounds) -> Option<Infeasible> {
        let mut count = 1;
        while count <= self.order.len() {
            let mut agents = self.order[..count].to_vec();
            agents.sort_unstable();
            let mass: f64 = agents.iter().map(|&agent| self.multipliers[agent]).sum();
            let multipliers: Vec<f64> =
                agents.iter().map(|&agent| self.multipliers[agent] / mass).collect();
            if let Some(bound) = self.negative_bound(&agents, &multipliers) {
                let shortfall = -bounds.lower;
                return Some(Infeasible::Proven { agents, multipliers, bound, shortfall });
            }
            let next = (count + 1).max(count + count / GROWTH);
            // All of them are tried at last.
            count = if count < self.order.len() { next.min(self.order.len()) } else { next };
        }
        None
    }

    /// The bound on the agents' weighted utility (ledger E10, E44), if it is clearly negative.
    fn negative_bound(&self, agents: &[usize], multipliers: &[f64]) -> Option<f64> {
        let dim = self.point.len();
        let ceilings = &self.problem.ceilings;
        let (mut value, mut size, mut steepness) = (0.0, 0.0, 0.0);
        let mut gradient = vec![0.0; dim];
        for (&agent, p) in agents.iter().zip(multipliers) {
            let own = &self.gradients[agent * dim..][..dim];
            value += p * (ceilings[agent] - self.losses[agent]);
            size += p * (ceilings[agent].abs() + self.losses[agent]);
            steepness += p * norm_l2(own);
            axpy(*p, own, &mut gradient);
        }
        let slope = Slope {
            losses: self.problem.losses,
            members: agents,
            lambda: multipliers,
            gradient: &gradient,
            at: self.point,
        };
        let rise = slope.rise(&self.problem.ball, value);
        let bound = value + rise.bound;
        // The radius multiplies the rounding of the gradient in the tangent's bound only.
        let reach = if rise.sphere.is_none() { self.problem.ball.radius() } else { 0.0 };
        let noise = CLEAR * size + 8.0 * f64::EPSILON * steepness * reach;
        (bound < -noise).then_some(bound)
    }
}
