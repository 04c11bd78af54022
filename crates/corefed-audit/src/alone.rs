//! What every agent could have from a predictor made for it alone.

use std::ops::ControlFlow;

use corefed_solve::{Maximin, MaximinBounds, Problem, Until};
use rayon::prelude::*;

use crate::{Observer, Progress};

/// Programs solved side by side between two looks at the clock. A constant, so that results do not
/// depend on the number of cores.
const BATCH: usize = 4;
/// How well an agent's best is solved, relative to its value.
const TOLERANCE: f64 = 1e-8;
/// Interior-point steps before a program is given up; its bounds hold all the same.
const MAX_STEPS: usize = 100;

/// Bounds on each agent's largest utility, with the predictor that reaches it; `None` for agents the
/// observer left no time for.
pub(crate) fn alone(
    problem: &Problem<'_>,
    start: &[f64],
    progress: &mut Progress,
    observer: &mut dyn Observer,
) -> Vec<Option<MaximinBounds>> {
    let mut found = Vec::with_capacity(problem.agents());
    for batch in problem.everybody().chunks(BATCH) {
        if observer.progress(progress) == ControlFlow::Break(()) {
            break;
        }
        let solved: Vec<_> = batch.par_iter().map(|&agent| best(problem, agent, start)).collect();
        progress.programs += solved.len();
        found.extend(solved);
    }
    found.resize(problem.agents(), None);
    found
}

/// Solved in units of the ceiling, so that accuracy does not depend on the unit of the losses; `None` where it was
/// halted before its best was known.
fn best(problem: &Problem<'_>, agent: usize, start: &[f64]) -> Option<MaximinBounds> {
    let ceiling = problem.ceilings[agent];
    let unit = if ceiling > 0.0 { ceiling } else { 1.0 };
    let program = Maximin {
        losses: problem.losses,
        members: &[agent],
        ceilings: &[ceiling],
        scales: &[unit],
        ball: &problem.ball,
    };
    let halt = || problem.is_halted();
    let bounds = program.solve_unless(&halt, start, Until::Gap(TOLERANCE), MAX_STEPS);
    let known = bounds.within(TOLERANCE) || !halt();
    let MaximinBounds { lower, upper, .. } = bounds;
    known.then_some(MaximinBounds { lower: lower * unit, upper: upper * unit, ..bounds })
}
