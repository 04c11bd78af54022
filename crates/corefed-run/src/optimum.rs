//! The optimum of a rule on a case.

use corefed_solve::{Problem, Rule, Solution};

use crate::{Case, RunError};

/// Gap asked of an optimum, relative to the total weight.
pub(crate) const SOLVER_GAP: f64 = 1e-10;

impl Case {
    /// The optimum of a rule.
    pub fn solve(&self, problem: &Problem<'_>, rule: Rule) -> Result<Solution, RunError> {
        corefed_solve::solve(problem, rule, SOLVER_GAP)
            .map_err(|error| self.infeasible(&error).into())
    }
}
