//! Branch and bound over coalitions.
//!
//! A node fixes some agents inside, some outside, and leaves the rest undecided. `V` never grows
//! when a coalition does, so `w(inside + undecided) V(inside) / W` bounds every completion; where that
//! would be everybody, the lightest undecided agent stays behind (ledger E11). Bounds come from a
//! pool of conflicts shared by all branches. Everybody together is a program of its own.

use std::ops::ControlFlow;
use std::sync::Arc;

use corefed_core::Conflict;
use corefed_solve::{MaximinBounds, Problem, Until};
use rayon::prelude::*;

use crate::best::Best;
use crate::coalition::Coalition;
use crate::frontier::Frontier;
use crate::known::Known;
use crate::node::{Node, Reached};
use crate::program::{Program, coalition_program};
use crate::{Observer, Progress};

/// Nodes worked on side by side. A constant, so that the search does not depend on the number of
/// cores.
const BATCH: usize = 16;
/// How well a program that did not prune is solved, so that its bound may prune further down.
const OPEN_GAP: f64 = 1e-3;

/// The state of a search.
pub(crate) struct Search<'a> {
    known: Known<'a>,
    open: Frontier,
    progress: Progress,
}

/// What a search proved.
pub(crate) struct Proof {
    /// Bounds `kappa` over the coalitions that are not everybody.
    pub(crate) hi: f64,
    /// Bounds the factor by which everybody can gain.
    pub(crate) everybody: f64,
    pub(crate) conflicts: Vec<Conflict>,
    pub(crate) progress: Progress,
}

impl<'a> Search<'a> {
    /// Starts from what every agent could have alone. `others` are the agents that join coalitions;
    /// their utilities `now` are positive.
    pub(crate) fn new(
        problem: &'a Problem<'a>,
        now: &'a [f64],
        (incumbent, others): (&[f64], &[usize]),
        alone: &[Option<MaximinBounds>],
        best: Best,
        tolerance: f64,
    ) -> Self {
        let root = Node {
            inside: Coalition::EMPTY,
            undecided: Coalition::from_members(others),
            reached: None,
            start: Arc::new(incumbent.to_vec()),
            settled: false,
        };
        let mut known = Known::new(problem, now, best, tolerance);
        for &agent in others {
            if let Some(bounds) = &alone[agent] {
                known.learn_alone(agent, bounds);
            }
        }
        let mut search = Self { known, open: Frontier::default(), progress: Progress::default() };
        search.wait(root);
        search
    }

    /// Searches until nothing is open or the observer breaks off.
    pub(crate) fn run(mut self, observer: &mut dyn Observer) -> (Best, Proof) {
        let mut improved = false;
        while self.open.len() > 0 {
            self.progress.lo = self.known.best.kappa;
            self.progress.hi =
                self.known.closed.max(self.open.weakest()).max(self.known.best.kappa);
            self.progress.open = self.open.len();
            if observer.progress(&self.progress) == ControlFlow::Break(()) {
                break;
            }
            let batch = self.open.next(BATCH);
            // Everybody together comes first: it is the test of Pareto-optimality.
            if !improved && batch[0].undecided == Coalition::everybody(self.known.problem.agents())
            {
                self.known.learn_everybody(&batch[0].start);
                self.progress.programs += 1;
            }
            improved = true;
            self.progress.nodes += batch.len();
            let open: Vec<Node> = batch.into_iter().filter_map(|node| self.prune(node)).collect();
            for (mut node, program) in self.solve(open) {
                if let Some(program) = program {
                    node.reached = Some(self.known.learn(node.inside, program));
                }
                if let Some(node) = self.prune(node) {
                    self.branch(&node);
                }
            }
        }
        self.finish()
    }

    /// Puts a node among those that wait, with what is known to bound it.
    fn wait(&mut self, node: Node) {
        let known = |members: Coalition| {
            self.known.bound(members).map_or(f64::INFINITY, |known| known.bound)
        };
        // A coalition of a node with nobody inside has at most what one of its members has alone.
        let bound = if node.inside.is_empty() {
            let singles = node.undecided.members().map(|agent| Coalition::EMPTY.with(agent));
            singles.map(known).fold(0.0, f64::max)
        } else {
            known(node.inside)
        };
        let bound = node.share(self.known.problem) * bound;
        self.open.push(node, bound);
    }

    /// Drops undecided agents that cannot belong, then the node itself if its bound is worth
    /// nothing.
    fn prune(&mut self, mut node: Node) -> Option<Node> {
        let target = self.known.target();
        loop {
            node.leave_somebody(self.known.problem);
            let share = node.share(self.known.problem);
            if let Some(known) = self.known.bound(node.inside)
                && share * known.bound <= target
            {
                self.known.close(share * known.bound, known.index);
                return None;
            }
            let before = node.undecided;
            for agent in before.members() {
                if let Some(known) = self.known.bound(node.inside.with(agent))
                    && share * known.bound <= target
                {
                    self.known.close(share * known.bound, known.index);
                    node.undecided = node.undecided.without(agent);
                }
            }
            if node.inside.is_empty() && node.undecided.is_empty() {
                return None;
            }
            if node.undecided == before {
                return Some(node);
            }
        }
    }

    /// Solves the programs that nodes still need, side by side; those that need none pass through.
    fn solve(&mut self, nodes: Vec<Node>) -> Vec<(Node, Option<Program>)> {
        let target = self.known.target();
        let (problem, now, tight) = (self.known.problem, self.known.now, self.known.tight());
        let solved: Vec<(Node, Option<Program>)> = nodes
            .into_par_iter()
            .map(|node| {
                let threshold = target / node.share(problem);
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
        self.progress.programs += solved.iter().filter(|(_, program)| program.is_some()).count();
        solved
    }

    /// Splits on the agent that agrees least with those inside, so that one side closes soon.
    fn branch(&mut self, node: &Node) {
        let agreement = |agent: usize| {
            self.known.bound(node.inside.with(agent)).map_or(f64::INFINITY, |known| known.bound)
        };
        let Some(agent) =
            node.undecided.members().min_by(|&a, &b| agreement(a).total_cmp(&agreement(b)))
        else {
            self.settle(node);
            return;
        };
        let undecided = node.undecided.without(agent);
        let start = node.reached.as_ref().map_or(&node.start, |reached| &reached.params);
        let inside = node.inside.with(agent);
        let without = Node { undecided, ..node.clone() };
        let with = Node {
            inside,
            undecided,
            reached: self.known.reached(inside),
            start: Arc::clone(start),
            settled: false,
        };
        self.wait(without);
        self.wait(with);
    }

    /// A single coalition that its bound did not close: solve it well once, then let its bound stand.
    fn settle(&mut self, node: &Node) {
        if node.reached.as_ref().is_none_or(|reached| !reached.tight) && !node.settled {
            self.wait(Node { settled: true, ..node.clone() });
        } else if let Some(known) = self.known.bound(node.inside) {
            self.known
                .close(node.inside.share(&self.known.problem.weights) * known.bound, known.index);
        }
    }

    /// Whatever is still open keeps the bound of what is inside it.
    fn finish(mut self) -> (Best, Proof) {
        let complete = self.open.len() == 0;
        for node in std::mem::take(&mut self.open).into_nodes() {
            self.known.leave_open(node);
        }
        let (lo, closed) = (self.known.best.kappa, self.known.closed);
        let hi = closed.max(lo);
        let progress = Progress { lo, hi, open: 0, complete, ..self.progress };
        let (best, conflicts) = self.known.into_parts();
        // Everybody contains the agents of every conflict.
        let everybody =
            conflicts.iter().map(|conflict| conflict.bound).fold(f64::INFINITY, f64::min);
        (best, Proof { hi, everybody, conflicts, progress })
    }
}
