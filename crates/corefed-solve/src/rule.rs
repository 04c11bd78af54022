//! The three rules at their true optima: core, utilitarian, egalitarian.

use corefed_core::{log_welfare, utilities};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::maximin::{Maximin, Until};
use crate::newton::{NewtonSettings, minimise};
use crate::{Objective, Problem};

/// How one predictor is chosen for all agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// The maximiser of log-welfare.
    Core,
    /// The maximiser of the weighted sum of utilities: what FedAvg converges to.
    Utilitarian,
    /// The maximiser of the smallest utility: min-max.
    Egalitarian,
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Core => "core",
            Self::Utilitarian => "utilitarian",
            Self::Egalitarian => "egalitarian",
        })
    }
}

/// The optimum of a rule, and how close to it we are.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The parameters.
    pub params: Vec<f64>,
    /// Every agent's loss.
    pub losses: Vec<f64>,
    /// Every agent's utility.
    pub utilities: Vec<f64>,
    /// `sum_i w_i log u_i`, minus infinity when some utility is not positive.
    pub log_welfare: f64,
    /// The rule's objective is at most this far from its optimum over the ball.
    pub gap: f64,
    /// Newton steps, phase one included.
    pub steps: usize,
    /// Whether the gap reached the tolerance asked for.
    pub converged: bool,
}

/// No predictor in the ball gives every agent a positive utility.
#[derive(Clone, Debug, Error, PartialEq)]
#[error(
    "no predictor in the ball gives everybody a positive utility: whatever it is, the weighted \
     utility of agents {agents:?} stays at or below `{bound:.6}`"
)]
pub struct Infeasible {
    /// Agents that cannot all be positive: those with a substantial multiplier in the proof.
    pub agents: Vec<usize>,
    /// Their multipliers, summing to about one.
    pub multipliers: Vec<f64>,
    /// Upper bound of the weighted sum of their utilities over the ball, <= 0.
    pub bound: f64,
    /// The smallest common raise of all ceilings that would make room.
    pub shortfall: f64,
}

/// Interior-point steps before giving up; twenty are typical.
const MAX_STEPS: usize = 200;
/// Interior-point bounds stop closing where rounding of the multipliers does; an egalitarian optimum
/// this close counts as reached.
const EGALITARIAN_FLOOR: f64 = 1e-7;
/// How well the proof of infeasibility is solved.
const INFEASIBLE_GAP: f64 = 1e-8;
/// Multipliers below this do not name an agent in the proof of infeasibility.
const NAMED: f64 = 1e-3;

/// Finds the optimum of a rule over the ball.
///
/// Requirements: convex losses. Guarantee: the objective is within `gap` of its optimum
/// (ledger E2, E16, E19). The core rule alone needs a predictor that serves everybody and
/// says who cannot be served together otherwise (ledger E17).
pub fn solve(problem: &Problem<'_>, rule: Rule, tolerance: f64) -> Result<Solution, Infeasible> {
    let settings = NewtonSettings { tolerance, ..NewtonSettings::default() };
    let zero = vec![0.0; problem.losses.dim()];
    let weights = problem.weights.values().to_vec();
    let (params, losses, gap, steps, converged) = match rule {
        Rule::Egalitarian => {
            let bounds = egalitarian(problem, &zero, Until::Gap(tolerance));
            let gap = bounds.upper - bounds.lower;
            let losses = problem.losses_at(&bounds.params);
            let converged = bounds.within(tolerance.max(EGALITARIAN_FLOOR));
            (bounds.params, losses, gap, bounds.steps, converged)
        }
        Rule::Utilitarian => {
            let objective = Objective::Average { weights };
            let found = minimise(problem.losses, &objective, &problem.ball, &zero, settings);
            (found.params, found.losses, found.gap, found.steps, found.converged)
        }
        Rule::Core => {
            let (start, phase_one) = feasible_start(problem, zero)?;
            let objective = Objective::LogWelfare { weights, ceilings: problem.ceilings.clone() };
            let found = minimise(problem.losses, &objective, &problem.ball, &start, settings);
            (found.params, found.losses, found.gap, phase_one + found.steps, found.converged)
        }
    };
    let utilities = utilities(&problem.ceilings, &losses);
    let log_welfare = log_welfare(&utilities, &problem.weights);
    Ok(Solution { params, losses, utilities, log_welfare, gap, steps, converged })
}

/// Phase one (ledger E17): parameters that give everybody a positive utility, and the steps it took.
fn feasible_start(problem: &Problem<'_>, zero: Vec<f64>) -> Result<(Vec<f64>, usize), Infeasible> {
    if problem.utilities_at(&zero).iter().all(|u| *u > 0.0) {
        return Ok((zero, 0));
    }
    let bounds = egalitarian(problem, &zero, Until::Sign);
    if bounds.lower > 0.0 {
        return Ok((bounds.params, bounds.steps));
    }
    // The sign is known long before the multipliers settle, and they name the agents.
    let bounds = egalitarian(problem, &bounds.params, Until::Gap(INFEASIBLE_GAP));
    let named = bounds.multipliers.iter().enumerate().filter(|(_, p)| **p > NAMED);
    let (agents, multipliers) = named.map(|(agent, p)| (agent, *p)).unzip();
    Err(Infeasible { agents, multipliers, bound: bounds.upper, shortfall: -bounds.lower })
}

fn egalitarian(problem: &Problem<'_>, start: &[f64], until: Until) -> crate::MaximinBounds {
    let members = problem.everybody();
    let program = Maximin {
        losses: problem.losses,
        members: &members,
        ceilings: &problem.ceilings,
        scales: &vec![1.0; members.len()],
        ball: &problem.ball,
    };
    program.solve(start, until, MAX_STEPS)
}
