//! Branch and bound over coalitions.
//!
//! A node fixes some agents inside, some outside, and leaves the rest undecided. `V` never grows
//! when a coalition does, so `w(inside + undecided) V(inside) / W` bounds every completion; where that
//! would be everybody, the lightest undecided agent stays behind (ledger E11). Bounds come from a
//! pool of conflicts shared by all branches. Everybody together is a program of its own.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use corefed_core::Conflict;
use corefed_solve::{MaximinBounds, Problem, Until};
use rayon::prelude::*;

use crate::best::Best;
use crate::coalition::Coalition;
use crate::frontier::Frontier;
use crate::node::{Node, Reached};
use crate::pool::{KnownBound, Pool};
use crate::program::{Program, coalition_program, dual_proof};
use crate::{Observer, Progress};

/// Nodes worked on side by side. A constant, so that the search does not depend on the number of
/// cores.
const BATCH: usize = 16;
/// How well a program that did not prune is solved, so that its bound may prune further down.
const OPEN_GAP: f64 = 1e-3;

/// How well, in units of the search's accuracy, the program of a single coalition is solved.
const TIGHT: f64 = 0.1;
/// The accuracy of a search, unless the verdict's tolerance is smaller.
const ACCURACY: f64 = 1e-6;

/// The state of a search.
pub(crate) struct Search<'a> {
    problem: &'a Problem<'a>,
    now: &'a [f64],
    tolerance: f64,
    /// How close known bounds are asked to be.
    accuracy: f64,
    pub(crate) best: Best,
    pool: Pool,
    open: Frontier,
    solved: BTreeMap<Coalition, Reached>,
    /// Largest bound of a branch that was closed.
    closed: f64,
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
        let mut search = Self {
            problem,
            now,
            tolerance,
            accuracy: if tolerance > 0.0 { ACCURACY.min(tolerance) } else { ACCURACY },
            best,
            pool: Pool::default(),
            open: Frontier::default(),
            solved: BTreeMap::new(),
            closed: 0.0,
            progress: Progress::default(),
        };
        for &agent in others {
            if let Some(bounds) = &alone[agent] {
                search.learn_alone(agent, bounds);
            }
        }
        search.wait(root);
        search
    }

    /// Solves the program of everybody together: whether the incumbent can be improved for all. Its
    /// conflict bounds no other coalition unless some agents do not matter, but it is part of the
    /// proof.
    fn improve(&mut self, start: &[f64]) {
        let everybody = self.problem.everybody();
        let until = Until::Threshold {
            threshold: 1.0 + 0.5 * self.accuracy.min(self.tolerance),
            gap: TIGHT * self.accuracy,
        };
        let program = coalition_program(self.problem, self.now, &everybody, start, until);
        self.progress.programs += 1;
        // At the optimum of log-welfare the weights themselves are the multipliers: no search for them is
        // as accurate (ledger E6).
        let weights = self.problem.weights.values().to_vec();
        let conflict = dual_proof(self.problem, self.now, (everybody.clone(), weights), start);
        self.pool.insert(conflict);
        self.learn(Coalition::from_members(&everybody), Some(program));
        if let Some(known) = self.pool.bound(Coalition::from_members(&everybody)) {
            self.pool.use_conflict(known.index);
        }
    }

    /// An agent's best utility, divided by what it has, is the program of its own coalition.
    fn learn_alone(&mut self, agent: usize, bounds: &MaximinBounds) {
        let conflict = dual_proof(self.problem, self.now, (vec![agent], vec![1.0]), &bounds.point);
        let lower = bounds.lower / self.now[agent];
        let tight = conflict.bound - lower <= TIGHT * self.accuracy * (1.0 + conflict.bound.abs());
        let params = Arc::new(bounds.params.clone());
        self.pool.insert(conflict);
        let reached = Reached { lower, tight, params };
        self.solved.insert(Coalition::EMPTY.with(agent), reached);
    }

    fn offer(&mut self, rival: &[f64]) {
        self.best.offer(self.problem, self.now, rival);
    }

    /// Bounds that are worth nothing more: the best known `kappa` but for the accuracy, and never
    /// above the verdict's threshold unless something above it is known.
    fn target(&self) -> f64 {
        let near = self.best.kappa.max(1.0) * (1.0 + self.accuracy);
        let threshold = 1.0 + self.tolerance;
        if self.best.kappa > threshold { near } else { near.min(threshold) }
    }

    /// Searches until nothing is open or the observer breaks off.
    pub(crate) fn run(mut self, observer: &mut dyn Observer) -> (Best, Proof) {
        let mut improved = false;
        while self.open.len() > 0 {
            self.progress.lo = self.best.kappa;
            self.progress.hi = self.closed.max(self.open.weakest()).max(self.best.kappa);
            self.progress.open = self.open.len();
            if observer.progress(&self.progress) == ControlFlow::Break(()) {
                break;
            }
            let batch = self.open.next(BATCH);
            // Everybody together comes first: it is the test of Pareto-optimality.
            if !improved && batch[0].undecided == Coalition::everybody(self.problem.agents()) {
                self.improve(&batch[0].start);
            }
            improved = true;
            self.progress.nodes += batch.len();
            let open: Vec<Node> = batch.into_iter().filter_map(|node| self.prune(node)).collect();
            for (mut node, program) in self.solve(open) {
                if program.is_some() {
                    node.reached = self.learn(node.inside, program);
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
            self.pool.bound(members).map_or(f64::INFINITY, |known| known.bound)
        };
        // A coalition of a node with nobody inside has at most what one of its members has alone.
        let bound = if node.inside.is_empty() {
            let singles = node.undecided.members().map(|agent| Coalition::EMPTY.with(agent));
            singles.map(known).fold(0.0, f64::max)
        } else {
            known(node.inside)
        };
        let bound = node.share(self.problem) * bound;
        self.open.push(node, bound);
    }

    /// Drops undecided agents that cannot belong, then the node itself if its bound is worth
    /// nothing.
    fn prune(&mut self, mut node: Node) -> Option<Node> {
        let target = self.target();
        loop {
            node.leave_somebody(self.problem);
            let share = node.share(self.problem);
            if let Some(known) = self.pool.bound(node.inside)
                && share * known.bound <= target
            {
                self.close(share * known.bound, known.index);
                return None;
            }
            let before = node.undecided;
            for agent in before.members() {
                if let Some(known) = self.pool.bound(node.inside.with(agent))
                    && share * known.bound <= target
                {
                    self.close(share * known.bound, known.index);
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

    fn close(&mut self, bound: f64, conflict: usize) {
        self.closed = self.closed.max(bound);
        self.pool.use_conflict(conflict);
    }

    /// Solves the programs that nodes still need, side by side; those that need none pass through.
    fn solve(&mut self, nodes: Vec<Node>) -> Vec<(Node, Option<Program>)> {
        let target = self.target();
        let (problem, now, accuracy) = (self.problem, self.now, self.accuracy);
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
                let gap = if leaf { TIGHT * accuracy } else { OPEN_GAP };
                let until = Until::Threshold { threshold, gap };
                let program = coalition_program(problem, now, &members, &node.start, until);
                (node, Some(program))
            })
            .collect();
        self.progress.programs += solved.iter().filter(|(_, program)| program.is_some()).count();
        solved
    }

    /// Adds a solved program to what is known.
    fn learn(&mut self, members: Coalition, program: Option<Program>) -> Option<Reached> {
        let Program { bounds, conflict } = program?;
        self.offer(&bounds.params);
        self.pool.insert(conflict);
        let tight = bounds.within(TIGHT * self.accuracy);
        let reached = Reached { lower: bounds.lower, tight, params: Arc::new(bounds.params) };
        self.solved.insert(members, reached.clone());
        Some(reached)
    }

    /// Splits on the agent that agrees least with those inside, so that one side closes soon.
    fn branch(&mut self, node: &Node) {
        let agreement = |agent: usize| {
            self.pool.bound(node.inside.with(agent)).map_or(f64::INFINITY, |known| known.bound)
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
            reached: self.solved.get(&inside).cloned(),
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
        } else if let Some(known) = self.pool.bound(node.inside) {
            self.close(node.inside.share(&self.problem.weights) * known.bound, known.index);
        }
    }

    /// Whatever is still open keeps the bound of what is inside it.
    fn finish(mut self) -> (Best, Proof) {
        let complete = self.open.len() == 0;
        for node in std::mem::take(&mut self.open).into_nodes() {
            self.bound_open(node);
        }
        self.progress.lo = self.best.kappa;
        self.progress.open = 0;
        self.progress.complete = complete;
        let hi = self.closed.max(self.best.kappa);
        self.progress.hi = hi;
        let conflicts = self.pool.into_used();
        // Everybody contains the agents of every conflict.
        let everybody =
            conflicts.iter().map(|conflict| conflict.bound).fold(f64::INFINITY, f64::min);
        (self.best, Proof { hi, everybody, conflicts, progress: self.progress })
    }

    /// Bounds an open node by its weakest necessary member: by what is known of `inside`, or, while
    /// nobody is inside, by the single agents one after the other.
    fn bound_open(&mut self, mut node: Node) {
        loop {
            let share = node.share(self.problem);
            let single = |agent: usize| self.pool.bound(Coalition::EMPTY.with(agent));
            // Every coalition contains its member of smallest single bound; take agents in that
            // order. An agent that was never looked at has none, and then nothing is bounded.
            let (agent, known) = if node.inside.is_empty() {
                let bounds = node.undecided.members().map(|agent| (Some(agent), single(agent)));
                let value = |known: Option<KnownBound>| known.map_or(f64::INFINITY, |k| k.bound);
                let weakest = bounds.min_by(|(_, a), (_, b)| value(*a).total_cmp(&value(*b)));
                let Some(weakest) = weakest else { return };
                weakest
            } else {
                (None, self.pool.bound(node.inside))
            };
            match known {
                Some(known) => self.close(share * known.bound, known.index),
                None => self.closed = f64::INFINITY,
            }
            match agent {
                Some(agent) if known.is_some() => {
                    node.undecided = node.undecided.without(agent);
                }
                _ => return,
            }
        }
    }
}
