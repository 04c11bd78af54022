//! The three rules at their true optima: core, utilitarian, egalitarian.

use corefed_core::{Choice, log_welfare, utilities};
use serde::{Deserialize, Serialize};

use crate::egalitarian::{egalitarian, unit};
use crate::maximin::Until;
use crate::newton::{NewtonSettings, minimise};
use crate::phase_one::{Infeasible, feasible_start};
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

impl Choice for Rule {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Core, "core", "Largest product of utilities"),
        (Self::Utilitarian, "utilitarian", "Largest weighted sum of utilities, as FedAvg"),
        (Self::Egalitarian, "egalitarian", "Largest smallest utility, min-max"),
    ];
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.word())
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

/// Interior-point bounds stop closing where rounding of the multipliers does; an egalitarian optimum
/// this close counts as reached.
const EGALITARIAN_FLOOR: f64 = 1e-7;

/// Finds the optimum of a rule over the ball.
///
/// Requirements: convex losses. Guarantee: the objective is within `gap` of its optimum
/// (ledger E2, E16, E19). The core rule alone needs a predictor that serves everybody and
/// says who cannot be served together otherwise (ledger E17). Where the problem was halted, the
/// gap may be any, and nothing be known of whom can be served.
///
/// ```
/// use corefed_core::Weights;
/// use corefed_model::{Quadratic, QuadraticLosses};
/// use corefed_solve::{Problem, Rule, solve};
///
/// // (t - 1)^2 and (t + 1)^2, with ceiling 4 each: the product of utilities is largest half-way.
/// let parabola = |at| Quadratic { matrix: vec![1.0], linear: vec![at], constant: 1.0 };
/// let losses = QuadraticLosses::new(1, vec![parabola(1.0), parabola(-1.0)], 2.0);
/// let problem = Problem::new(&losses, vec![4.0, 4.0], Weights::equal(2), 3.0);
/// let core = solve(&problem, Rule::Core, 1e-10)?;
/// assert!(core.params[0].abs() < 1e-8);
/// assert!((core.log_welfare - 9_f64.ln()).abs() < 1e-8);
/// # Ok::<(), corefed_solve::Infeasible>(())
/// ```
pub fn solve(problem: &Problem<'_>, rule: Rule, tolerance: f64) -> Result<Solution, Infeasible> {
    solve_from(problem, rule, tolerance, &vec![0.0; problem.losses.dim()])
}

/// The same from any parameters in the ball. A start near the optimum, such as that of a similar problem,
/// saves steps; the optimum is the same up to the gap.
pub fn solve_from(
    problem: &Problem<'_>,
    rule: Rule,
    tolerance: f64,
    start: &[f64],
) -> Result<Solution, Infeasible> {
    let settings = NewtonSettings { tolerance, ..NewtonSettings::default() };
    let halt = || problem.is_halted();
    let weights = problem.weights.values().to_vec();
    let (params, losses, gap, steps, converged) = match rule {
        Rule::Egalitarian => {
            let bounds = egalitarian(problem, start, Until::Gap(tolerance));
            let gap = bounds.upper - bounds.lower;
            let losses = problem.losses_at(&bounds.params);
            let unit = unit(problem);
            let converged = gap <= tolerance.max(EGALITARIAN_FLOOR) * (unit + bounds.upper.abs());
            (bounds.params, losses, gap, bounds.steps, converged)
        }
        Rule::Utilitarian => {
            let objective = Objective::Average { weights };
            let found = minimise(problem.losses, &objective, &problem.ball, start, settings, &halt);
            (found.params, found.losses, found.gap, found.steps, found.converged)
        }
        Rule::Core => {
            let (inside, phase_one) = feasible_start(problem, start)?;
            let objective = Objective::LogWelfare { weights, ceilings: problem.ceilings.clone() };
            let found =
                minimise(problem.losses, &objective, &problem.ball, &inside, settings, &halt);
            (found.params, found.losses, found.gap, phase_one + found.steps, found.converged)
        }
    };
    let utilities = utilities(&problem.ceilings, &losses);
    let log_welfare = log_welfare(&utilities, &problem.weights);
    Ok(Solution { params, losses, utilities, log_welfare, gap, steps, converged })
}
