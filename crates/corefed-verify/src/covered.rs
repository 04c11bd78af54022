//! What conflicts that cover all coalitions prove, whatever they were proven from.

use corefed_core::{AgentStatement, Conflict};

use crate::VerifyError;
use crate::coverage::{Bounded, MOST_TESTS, Unproven, check_coverage};

/// Conflicts as coverage sees them.
pub(crate) fn as_bounds(conflicts: &[Conflict]) -> Vec<Bounded> {
    let bounded =
        |conflict: &Conflict| Bounded::new(conflict.agents.iter().copied(), conflict.bound);
    conflicts.iter().map(bounded).collect()
}

/// Every coalition is bounded by `claimed` (ledger E11), but for those with one of the agents `without`.
pub(crate) fn check_covered(
    agents: &[AgentStatement],
    conflicts: &[Bounded],
    without: &[usize],
    claimed: f64,
) -> Result<(), VerifyError> {
    let weights: Vec<f64> = agents.iter().map(|agent| agent.weight).collect();
    let candidates: Vec<usize> = (0..agents.len()).filter(|i| !without.contains(i)).collect();
    check_coverage(conflicts, &weights, &candidates, claimed, MOST_TESTS).map_err(|unproven| {
        match unproven {
            Unproven::Uncovered(coalition) => VerifyError::Uncovered {
                coalition: coalition.into_iter().map(|i| agents[i].name.clone()).collect(),
                claimed,
            },
            Unproven::GivenUp(tests) => VerifyError::CoverageBudget { tests },
        }
    })
}

/// What everybody together can gain at most: as much as any conflict allows, and nothing with an agent
/// that no model gives anything.
pub(crate) fn everybody_bound(conflicts: &[Bounded], hopeless: &[usize]) -> f64 {
    if !hopeless.is_empty() {
        return 0.0;
    }
    conflicts.iter().map(|conflict| conflict.bound).fold(f64::INFINITY, f64::min).max(0.0)
}
