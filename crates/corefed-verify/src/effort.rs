//! What a check would cost, before it begins: somebody else wrote the certificate, and may list one conflict a hundred
//! thousand times.

use corefed_core::{Conflict, Evidence, Hopeless};

use crate::VerifyError;
use crate::family::is_least_squares;
use crate::loss::Reading;

/// Numbers that may be looked at in any case: minutes of one core.
const MOST: u64 = 10_000_000_000;
/// Conflicts about everybody that may be checked in any case, however many rows there are.
const WHOLE_CONFLICTS: u64 = 1000;

/// Refuses evidence whose check would look at more numbers than any audit needs.
pub(crate) fn check_effort(evidence: &Evidence, reading: &Reading<'_>) -> Result<(), VerifyError> {
    let Evidence::Conflicts { conflicts, hopeless } = evidence else { return Ok(()) };
    let one = |agents: &[usize], parabola: bool| looked_at(reading, agents, parabola);
    let bounds = |c: &Conflict| one(&c.agents, c.sphere.is_some());
    let vain = |h: &Hopeless| one(&[h.agent], h.sphere.is_some());
    let add = |sum: u64, more: u64| sum.saturating_add(more);
    let needed = conflicts.iter().map(bounds).chain(hopeless.iter().map(vain)).fold(0, add);
    let everybody: Vec<usize> = (0..reading.agents()).collect();
    let parabola = conflicts.iter().any(|c| c.sphere.is_some());
    let most = MOST.max(one(&everybody, parabola).saturating_mul(WHOLE_CONFLICTS));
    if needed > most {
        let entries = conflicts.len() + hopeless.len();
        return Err(VerifyError::TooMuchWork { entries, needed, most });
    }
    Ok(())
}

/// Numbers that a bound on these agents looks at: those of their rows for every block of parameters, and the matrix
/// of a parabola of least squares.
fn looked_at(reading: &Reading<'_>, agents: &[usize], parabola: bool) -> u64 {
    let predictor = reading.predictor;
    let blocks = predictor.family.blocks(predictor.encoding.classes.len());
    let width = reading.width().saturating_mul(blocks) as u64;
    let rows = agents.iter().map(|&agent| reading.count(agent) as u64).sum::<u64>();
    let dim = if parabola && is_least_squares(predictor.family) {
        predictor.encoding.features.len() as u64
    } else {
        0
    };
    let matrices = dim.saturating_mul(dim).saturating_mul(agents.len() as u64 + dim);
    rows.saturating_mul(width).saturating_add(matrices)
}
