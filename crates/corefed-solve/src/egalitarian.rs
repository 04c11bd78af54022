//! The best worst-off agent of everybody.

use crate::Problem;
use crate::maximin::{Maximin, MaximinBounds, Until};

/// Interior-point steps before giving up; twenty are typical.
const MAX_STEPS: usize = 200;

/// The best worst-off agent. Utilities are counted in units of the largest ceiling, so that accuracy
/// does not depend on the unit of the losses; the bounds come back in the losses' own unit.
pub(crate) fn egalitarian(problem: &Problem<'_>, start: &[f64], until: Until) -> MaximinBounds {
    let members = problem.everybody();
    let unit = unit(problem);
    let program = Maximin {
        losses: problem.losses,
        members: &members,
        ceilings: &problem.ceilings,
        scales: &vec![unit; members.len()],
        ball: &problem.ball,
    };
    let bounds = program.solve_unless(&|| problem.is_halted(), start, until, MAX_STEPS);
    MaximinBounds { lower: bounds.lower * unit, upper: bounds.upper * unit, ..bounds }
}

/// The largest ceiling; one where none is positive.
pub(crate) fn unit(problem: &Problem<'_>) -> f64 {
    let largest = problem.ceilings.iter().copied().fold(0.0, f64::max);
    if largest > 0.0 { largest } else { 1.0 }
}
