//! The search of coalitions where all rows are at hand: each program is solved to the end at once.

use std::ops::ControlFlow;

use corefed_core::{Conflict, Weights};
use corefed_solve::{MaximinBounds, Problem, Until};
use rayon::prelude::*;

use crate::best::Best;
use crate::branch::{Ground, Search};
use crate::coalition::Coalition;
use crate::known::Known;
use crate::node::{Node, Reached};
use crate::program::{Program, coalition_program};
use crate::{Observer, Progress};

/// How well a program that did not prune is solved, so that its bound may prune further down.
const OPEN_GAP: f64 = 1e-3;

/// What a search proved.
pub(crate) struct Proof {
    /// Bounds `kappa` over the coalitions that are not everybody.
    pub(crate) hi: f64,
    /// Bounds the factor by which everybody can gain.
    pub(crate) everybody: f64,
    pub(crate) conflicts: Vec<Conflict>,
    pub(crate) progress: Progress,
}

/// Searches until nothing is open or the observer breaks off.
///
/// Starts from what every agent could have alone. `others` are the agents that join coalitions; their
/// utilities `now` are positive.
pub(crate) fn search(
    problem: &Problem<'_>,
    now: &[f64],
    (incumbent, others): (&[f64], &[usize]),
    alone: &[Option<MaximinBounds>],
    (best, tolerance): (Best, f64),
    observer: &mut dyn Observer,
) -> (Best, Proof) {
    let mut known = Known::new(problem, now, best, tolerance);
    for &agent in others {
        if let Some(bounds) = &alone[agent] {
            known.learn_alone(agent, bounds);
        }
    }
    let mut search = Search::new(known, Coalition::from_members(others), incumbent);
    // Everybody together comes first: it is the test of Pareto-optimality.
    let mut everybody = others.len() == problem.agents();
    let mut progress = Progress::default();
    while search.open() > 0 {
        let known = &search.ground;
        progress.lo = known.best.kappa;
        progress.hi = known.closed.max(search.weakest()).max(known.best.kappa);
        progress.open = search.open();
        progress.programs = known.programs;
        progress.nodes = search.nodes();
        if observer.progress(&progress) == ControlFlow::Break(()) {
            break;
        }
        if std::mem::take(&mut everybody) {
            search.ground.learn_everybody(incumbent);
        }
        search.advance();
    }
    progress.nodes = search.nodes();
    finish(search, progress)
}

/// Whatever is still open keeps the bound of what is inside it.
fn finish(search: Search<Known<'_>>, progress: Progress) -> (Best, Proof) {
    // What was halted in the middle may be closed by a bound that is not its best.
    let complete = search.open() == 0 && !search.ground.problem.is_halted();
    let (mut known, open) = search.into_parts();
    for node in open {
        known.leave_open(node);
    }
    let (lo, programs) = (known.best.kappa, known.programs);
    let hi = known.closed.max(lo);
    let progress = Progress { lo, hi, open: 0, programs, complete, ..progress };
    let (best, conflicts) = known.into_parts();
    // Everybody contains the agents of every conflict.
    let everybody = conflicts.iter().map(|conflict| conflict.bound).fold(f64::INFINITY, f64::min);
    (best, Proof { hi, everybody, conflicts, progress })
}

impl Ground for Known<'_> {
    type Program = Program;

    fn weights(&self) -> &Weights {
        &self.problem.weights
    }

    fn closes(&mut self, members: Coalition, share: f64) -> bool {
        let target = self.target();
        match self.bound(members) {
            Some(known) if share * known.bound <= target => {
                self.close(share * known.bound, known.index);
                true
            }
            _ => false,
        }
    }

    fn most(&self, members: Coalition) -> f64 {
        self.bound(members).map_or(f64::INFINITY, |known| known.bound)
    }

    fn look(&mut self, nodes: Vec<Node>) -> Vec<(Node, Option<Program>)> {
        let target = self.target();
        let (problem, now, tight) = (self.problem, self.now, self.tight());
        let solved: Vec<(Node, Option<Program>)> = nodes
            .into_par_iter()
            .map(|node| {
                let threshold = target / node.share(&problem.weights);
                // A single coalition can only be closed by its own program, solved well.
                let leaf = node.undecided.is_empty();
                // One that straddles the threshold is solved once more, as well as can be.
                let known = |reached: &Reached| {
                    let above = reached.lower > threshold;
                    if leaf {
                        reached.tight && (above || node.settled)
                    } else {
                        reached.tight || above
                    }
                };
                if node.inside.is_empty() || node.reached.as_ref().is_some_and(known) {
                    return (node, None);
                }
                let members: Vec<usize> = node.inside.members().collect();
                let gap = if leaf { tight } else { OPEN_GAP };
                let until = Until::Threshold { threshold, gap };
                let program = coalition_program(problem, now, &members, &node.start, until);
                (node, Some(program))
            })
            .collect();
        self.programs += solved.iter().filter(|(_, program)| program.is_some()).count();
        solved
    }

    fn learn(&mut self, members: Coalition, program: Program) -> Reached {
        self.learn_program(members, program)
    }

    fn reached(&self, members: Coalition) -> Option<Reached> {
        self.solved(members)
    }

    /// Solved well once, then its bound stands.
    fn settle(&mut self, node: &Node) -> Option<Node> {
        if node.reached.as_ref().is_none_or(|reached| !reached.tight) && !node.settled {
            return Some(Node { settled: true, ..node.clone() });
        }
        if let Some(known) = self.bound(node.inside) {
            self.close(node.inside.share(&self.problem.weights) * known.bound, known.index);
        }
        None
    }
}
