//! One pass of the search over coalitions, on what is known between two rounds.
//!
//! Two pools of bounds close branches (ledger E80). Those that tangents *prove* close a branch for good.
//! Those that quadratic models *propose* close it for this pass only, and say where the next
//! questions are to be asked: if the models are right, the answers prove the bound.

use std::collections::BTreeMap;
use std::sync::Arc;

use corefed_audit::{Bounding, Coalition, Ground, Node, Pool, Program, Reached, Search};
use corefed_core::{Conflict, Scan, Weights, scan};
use rayon::prelude::*;

use crate::bundle::Bundle;
use crate::case::Case;
use crate::propose::propose;
use crate::tangents::{Proven, tightest};

/// The part of the accuracy that proven bounds may use: a checker adds what rounding may have cost.
const PROVEN: f64 = 0.95;
/// The part that proposed bounds may: proofs come out a little weaker.
const PROPOSED: f64 = 0.5;
/// Bounds further apart than this are of a program that did not converge.
const TIGHT: f64 = 1e-7;

/// What a pass looks at.
pub(crate) struct Pass<'a> {
    case: &'a Case,
    bundle: &'a Bundle,
    now: &'a [f64],
    /// The best `kappa` that a rival is known to reach.
    lo: f64,
    /// The best that one reaches on the models, and that rival.
    hoped: f64,
    rival: Option<Hoped>,
    known: &'a mut Memory,
    proposed: Pool<Conflict>,
    solved: BTreeMap<Coalition, Reached>,
    /// Largest bound of a branch that is closed for good.
    closed: f64,
    /// Branches closed by models only: agents inside, and their share.
    waiting: Vec<(Coalition, f64)>,
}

/// What passes hand on to each other.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) proven: Pool<Proven>,
    /// Where the programs of coalitions ended: answers were asked there, or near.
    ends: BTreeMap<Coalition, Arc<Vec<f64>>>,
}

/// A rival that models think well of.
#[derive(Clone, Debug)]
pub(crate) struct Hoped {
    pub(crate) params: Vec<f64>,
    /// For whom: where models of these agents err, the hope does.
    pub(crate) coalition: Vec<usize>,
}

/// What came of a pass.
pub(crate) struct Passed {
    /// Proposed bounds that wait for a proof, each with the point where it is expected.
    pub(crate) needed: Vec<Conflict>,
    /// The best rival on the models, where it beats what is known.
    pub(crate) rival: Option<Hoped>,
    /// What is proven that `kappa` does not exceed, by what is known now.
    pub(crate) hi: f64,
    /// Programs solved on models.
    pub(crate) programs: usize,
}

/// A program solved on models, and what known tangents prove of it.
pub(crate) struct Look {
    program: Program,
    proof: Option<Proven>,
    /// What its rival reaches on the models.
    hoped: Scan<f64>,
}

/// Searches the coalitions of `agents`; `everybody` is the factor that all gain for certain, where all
/// take part.
pub(crate) fn pass<'a>(
    case: &'a Case,
    bundle: &'a Bundle,
    now: &'a [f64],
    (agents, start): (Coalition, &[f64]),
    (lo, everybody): (f64, Option<f64>),
    known: &'a mut Memory,
) -> Passed {
    known.proven.use_none();
    let mut ground = Pass {
        case,
        bundle,
        now,
        lo,
        hoped: lo,
        rival: None,
        known,
        proposed: Pool::default(),
        solved: BTreeMap::new(),
        closed: 0.0,
        waiting: Vec::new(),
    };
    if let Some(reached) = everybody {
        ground.everybody(agents, start, reached);
    }
    let mut search = Search::new(ground, agents, start);
    while search.open() > 0 {
        search.advance();
    }
    let (ground, _) = search.into_parts();
    ground.finish()
}

impl Pass<'_> {
    /// Everybody together is a program of its own.
    fn everybody(&mut self, agents: Coalition, start: &[f64], reached: f64) {
        let target = reached.max(1.0) * (1.0 + 0.5 * self.case.accuracy.gap());
        if self.known.proven.bound(agents).is_some_and(|known| known.bound <= target) {
            return;
        }
        let look = self.program(agents, start, Some(target));
        self.take(agents, look);
        let proven = self.known.proven.bound(agents).is_some_and(|known| known.bound <= target);
        if let Some(known) = self.proposed.bound(agents).filter(|_| !proven) {
            self.proposed.use_bound(known.index);
        }
    }

    /// The program of a coalition on models; where that is at most `enough`, perhaps tangents prove it
    /// already.
    fn program(&self, members: Coalition, start: &[f64], enough: Option<f64>) -> Look {
        let last = self
            .known
            .ends
            .get(&members)
            .map(|end| propose(self.case, self.bundle, self.now, members, end));
        let (program, model) = match last {
            Some(last) if last.0.bounds.within(TIGHT) => last,
            // Numbers fail a program on the sphere where losses are flat; another start may not.
            Some(last) => {
                let again = propose(self.case, self.bundle, self.now, members, start);
                if again.0.bounds.upper < last.0.bounds.upper { again } else { last }
            }
            None => propose(self.case, self.bundle, self.now, members, start),
        };
        let (members, agents): (Vec<usize>, _) = (members.members().collect(), self.case.agents());
        let rival = &program.bounds.params;
        let then: Vec<f64> =
            (0..agents).map(|agent| self.case.ceilings[agent] - model.loss(agent, rival)).collect();
        let weights = &self.case.weights;
        let hoped = scan(self.now, &then, weights.values(), &weights.total());
        let close = enough.filter(|enough| program.conflict.bound <= *enough);
        let proof = close.and_then(|enough| {
            let near = &program.conflict.point;
            tightest(self.case, self.bundle, self.now, &members, near, enough)
        });
        Look { program, proof, hoped }
    }

    fn take(&mut self, members: Coalition, look: Look) -> Reached {
        let Look { program, proof, hoped } = look;
        let kappa = hoped.kappa.value();
        if kappa > self.hoped && kappa.is_finite() {
            let (params, coalition) = (program.bounds.params.clone(), hoped.coalition);
            (self.hoped, self.rival) = (kappa, Some(Hoped { params, coalition }));
        }
        if let Some(proof) = proof {
            let known = self.known.proven.bound(proof.agents());
            if known.is_none_or(|known| proof.bound() < known.bound) {
                self.known.proven.insert(proof);
            }
        }
        self.proposed.insert(program.conflict);
        let params = Arc::new(program.bounds.params);
        self.known.ends.insert(members, Arc::clone(&params));
        let reached = Reached { lower: program.bounds.lower, tight: true, params };
        self.solved.insert(members, reached.clone());
        reached
    }

    /// What models close counts only as far as it is proven.
    fn finish(self) -> Passed {
        let mut hi = self.closed.max(self.lo);
        for (members, share) in &self.waiting {
            match self.known.proven.bound(*members) {
                Some(known) => {
                    hi = hi.max(share * known.bound);
                    self.known.proven.use_bound(known.index);
                }
                None => hi = f64::INFINITY,
            }
        }
        let (programs, rival) = (self.solved.len(), self.rival);
        Passed { needed: self.proposed.into_used(), rival, hi, programs }
    }
}

impl Ground for Pass<'_> {
    type Program = Look;

    fn weights(&self) -> &Weights {
        &self.case.weights
    }

    fn closes(&mut self, members: Coalition, share: f64) -> bool {
        if let Some(known) = self.known.proven.bound(members)
            && share * known.bound <= self.case.accuracy.target(self.lo, PROVEN)
        {
            self.closed = self.closed.max(share * known.bound);
            self.known.proven.use_bound(known.index);
            return true;
        }
        if let Some(known) = self.proposed.bound(members)
            && share * known.bound <= self.case.accuracy.target(self.hoped, PROPOSED)
        {
            self.proposed.use_bound(known.index);
            self.waiting.push((members, share));
            return true;
        }
        false
    }

    fn most(&self, members: Coalition) -> f64 {
        let proven = self.known.proven.bound(members).map_or(f64::INFINITY, |known| known.bound);
        let proposed = self.proposed.bound(members).map_or(f64::INFINITY, |known| known.bound);
        proven.min(proposed)
    }

    fn look(&mut self, nodes: Vec<Node>) -> Vec<(Node, Option<Look>)> {
        let pass = &*self;
        let target = pass.case.accuracy.target(pass.hoped, PROPOSED);
        nodes
            .into_par_iter()
            .map(|node| {
                if node.inside.is_empty() || pass.solved.contains_key(&node.inside) {
                    return (node, None);
                }
                let enough = target / node.share(&pass.case.weights);
                let look = pass.program(node.inside, &node.start, Some(enough));
                (node, Some(look))
            })
            .collect()
    }

    fn learn(&mut self, members: Coalition, look: Look) -> Reached {
        self.take(members, look)
    }

    fn reached(&self, members: Coalition) -> Option<Reached> {
        self.solved.get(&members).cloned()
    }

    /// The best rival of the models: its coalition is waited for.
    fn settle(&mut self, node: &Node) -> Option<Node> {
        if let Some(known) = self.proposed.bound(node.inside) {
            self.proposed.use_bound(known.index);
        }
        self.waiting.push((node.inside, node.inside.share(&self.case.weights)));
        None
    }
}
