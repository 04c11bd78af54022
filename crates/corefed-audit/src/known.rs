//! What a search has learned: programs solved, bounds proven, the best rival met.

use std::collections::BTreeMap;
use std::sync::Arc;

use corefed_core::Conflict;
use corefed_solve::{MaximinBounds, Problem, Until};

use crate::accuracy::Accuracy;
use crate::best::Best;
use crate::coalition::Coalition;
use crate::node::{Node, Reached};
use crate::pool::{KnownBound, Pool};
use crate::program::{Program, coalition_program, dual_proof};

/// How well, in units of the search's accuracy, the program of a single coalition is solved.
const TIGHT: f64 = 0.1;

/// Everything known of a problem's coalitions, whichever branch it came from.
pub(crate) struct Known<'a> {
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) now: &'a [f64],
    accuracy: Accuracy,
    pub(crate) best: Best,
    pool: Pool<Conflict>,
    solved: BTreeMap<Coalition, Reached>,
    /// Largest bound of a branch that was closed.
    pub(crate) closed: f64,
    /// Coalition programs solved.
    pub(crate) programs: usize,
}

impl<'a> Known<'a> {
    pub(crate) fn new(
        problem: &'a Problem<'a>,
        now: &'a [f64],
        best: Best,
        tolerance: f64,
    ) -> Self {
        Self {
            problem,
            now,
            accuracy: Accuracy::new(tolerance),
            best,
            pool: Pool::default(),
            solved: BTreeMap::new(),
            closed: 0.0,
            programs: 0,
        }
    }

    /// An agent's best utility, divided by what it has, is the program of its own coalition.
    pub(crate) fn learn_alone(&mut self, agent: usize, bounds: &MaximinBounds) {
        let conflict = dual_proof(self.problem, self.now, (vec![agent], vec![1.0]), &bounds.point);
        let lower = bounds.lower / self.now[agent];
        let tight = conflict.bound - lower <= self.tight() * (1.0 + conflict.bound.abs());
        let params = Arc::new(bounds.params.clone());
        self.pool.insert(conflict);
        let reached = Reached { lower, tight, params };
        self.solved.insert(Coalition::EMPTY.with(agent), reached);
    }

    /// Solves the program of everybody together: whether the incumbent can be improved for all. Its
    /// conflict bounds no other coalition unless some agents do not matter, but it is part of the
    /// proof.
    pub(crate) fn learn_everybody(&mut self, start: &[f64]) {
        let everybody = self.problem.everybody();
        let until = Until::Threshold {
            threshold: 1.0 + 0.5 * self.accuracy.gap().min(self.accuracy.tolerance()),
            gap: self.tight(),
        };
        let program = coalition_program(self.problem, self.now, &everybody, start, until);
        // At the optimum of log-welfare the weights themselves are the multipliers: no search for them is
        // as accurate (ledger E6).
        let weights = self.problem.weights.values().to_vec();
        let conflict = dual_proof(self.problem, self.now, (everybody.clone(), weights), start);
        self.pool.insert(conflict);
        self.programs += 1;
        self.learn_program(Coalition::from_members(&everybody), program);
        if let Some(known) = self.pool.bound(Coalition::from_members(&everybody)) {
            self.pool.use_bound(known.index);
        }
    }

    /// Adds a solved program to what is known.
    pub(crate) fn learn_program(&mut self, members: Coalition, program: Program) -> Reached {
        let Program { bounds, conflict } = program;
        self.best.offer(self.problem, self.now, &bounds.params);
        self.pool.insert(conflict);
        let tight = bounds.within(self.tight());
        let reached = Reached { lower: bounds.lower, tight, params: Arc::new(bounds.params) };
        self.solved.insert(members, reached.clone());
        reached
    }

    /// Bounds that are worth nothing more.
    pub(crate) fn target(&self) -> f64 {
        self.accuracy.target(self.best.kappa, 1.0)
    }

    /// How close the bounds of a single coalition's program are asked to be.
    pub(crate) fn tight(&self) -> f64 {
        TIGHT * self.accuracy.gap()
    }

    /// The tightest bound on what a coalition gains.
    pub(crate) fn bound(&self, members: Coalition) -> Option<KnownBound> {
        self.pool.bound(members)
    }

    /// What the program of a coalition reached, if it was solved.
    pub(crate) fn solved(&self, members: Coalition) -> Option<Reached> {
        self.solved.get(&members).cloned()
    }

    /// Closes a branch whose coalitions gain at most `bound`, as a conflict proves.
    pub(crate) fn close(&mut self, bound: f64, conflict: usize) {
        self.closed = self.closed.max(bound);
        self.pool.use_bound(conflict);
    }

    /// Bounds an open node by its weakest necessary member: by what is known of `inside`, or, while
    /// nobody is inside, by the single agents one after the other.
    pub(crate) fn leave_open(&mut self, mut node: Node) {
        loop {
            let share = node.share(&self.problem.weights);
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

    /// The best rival, and the conflicts that bounds rest on.
    pub(crate) fn into_parts(self) -> (Best, Vec<Conflict>) {
        (self.best, self.pool.into_used())
    }
}
