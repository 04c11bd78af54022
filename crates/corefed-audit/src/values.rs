//! What every coalition could have: `V(S)` for all of them, when they are few.

use corefed_core::gain;
use corefed_solve::{Problem, Until};
use rayon::prelude::*;

use crate::coalition::Coalition;
use crate::program::coalition_program;

/// Agents up to which every coalition is looked at: 1,023 programs.
pub const MOST_LISTED_AGENTS: usize = 10;
/// How close the bounds of every program are asked to be, relative to `1 + V`.
const GAP: f64 = 1e-7;

/// A coalition and the best it can do alone.
#[derive(Clone, Debug, PartialEq)]
pub struct CoalitionValue {
    /// Members, ascending.
    pub members: Vec<usize>,
    /// `w(S)/W`.
    pub share: f64,
    /// The factor that a known rival gives to every member.
    pub lower: f64,
    /// No rival in the ball gives all members more.
    pub upper: f64,
    /// Gain of each member with that rival, in the order of `members`.
    pub gains: Vec<f64>,
}

/// `V(S) = max_x min_{i in S} u_i(x)/u_i(theta)` of every coalition, two-sided (ledger E10).
///
/// Requirements: convex losses; parameters in the ball. Coalitions with a member that has no positive
/// utility are left out: it blocks alone. Beyond [`MOST_LISTED_AGENTS`] agents there is no list.
/// Guarantee: bounds hold whether or not a program converged, and do not depend on the number of threads.
/// Cost: one convex program per coalition. Order: by size, then by members.
#[must_use]
pub fn coalition_values(problem: &Problem<'_>, incumbent: &[f64]) -> Vec<CoalitionValue> {
    let agents = problem.agents();
    if agents > MOST_LISTED_AGENTS {
        return Vec::new();
    }
    let now = problem.utilities_at(incumbent);
    let mut coalitions: Vec<Vec<usize>> = (1_u32..1 << agents)
        .map(|mask| (0..agents).filter(|agent| mask >> agent & 1 == 1).collect())
        .filter(|members: &Vec<usize>| members.iter().all(|&agent| now[agent] > 0.0))
        .collect();
    coalitions.sort_by_key(|members| (members.len(), members.clone()));
    // Each starts from the incumbent, so that none depends on what its neighbours found.
    coalitions
        .into_par_iter()
        .map(|members| {
            let program =
                coalition_program(problem, &now, &members, incumbent, Until::Gap(GAP)).bounds;
            let then = problem.utilities_at(&program.params);
            let gains: Vec<f64> = members.iter().map(|&k| gain(now[k], then[k])).collect();
            // Recomputed, so that the bound is what the gains say.
            let lower = gains.iter().copied().fold(f64::INFINITY, f64::min);
            let share = Coalition::from_members(&members).share(&problem.weights);
            CoalitionValue { share, lower, upper: program.upper.max(lower), gains, members }
        })
        .collect()
}
