//! The audit between rounds: what answers prove, and what to ask next.

use std::collections::BTreeMap;

use corefed_audit::{Best, Bounding, Coalition, but_for_rounding};
use corefed_core::{
    Conflict, Factors, KappaInterval, Tangent, TangentConflict, TangentHopeless, Verdict,
};

use crate::bundle::Bundle;
use crate::case::Case;
use crate::hopeless::Nothing;
use crate::outcome::Ended;
use crate::pass::{Hoped, Memory, Passed, pass};
use crate::setup::Stop;
use crate::tangents::{prove, tightest};

/// A conflict that was asked about this often without a proof is left open.
const GIVE_UP: usize = 12;

/// What is known of one predictor.
pub(crate) struct Audit {
    pub(crate) theta: usize,
    /// Utilities; zero for an agent that is absent.
    pub(crate) now: Vec<f64>,
    pub(crate) absent: Vec<usize>,
    pub(crate) best: Best,
    memory: Memory,
    pub(crate) hopeless: Vec<TangentHopeless>,
    pub(crate) factors: Factors,
    /// Whether upper ends are proven at all.
    pub(crate) bounded: bool,
    pub(crate) programs: usize,
    scanned: usize,
    asked: Vec<Conflict>,
    tried: BTreeMap<Coalition, usize>,
}

/// What comes next.
pub(crate) enum Review {
    /// Bounds that wait for tangents at these points, and a rival worth trying. `again` says which were
    /// asked about before.
    Ask {
        needed: Vec<Conflict>,
        again: Vec<bool>,
        rival: Option<Hoped>,
    },
    Done(Ended),
}

impl Audit {
    /// Starts where everybody who takes part has answered at `theta`.
    pub(crate) fn new(case: &Case, bundle: &Bundle, theta: usize) -> Self {
        let present =
            |agent: &usize| bundle.at(*agent, theta).is_some_and(|known| known.gradient.is_some());
        let absent: Vec<usize> = (0..case.agents()).filter(|agent| !present(agent)).collect();
        let utility = |agent: usize| match bundle.at(agent, theta) {
            Some(known) if !absent.contains(&agent) => {
                but_for_rounding(case.ceilings[agent] - known.loss, case.ceilings[agent])
            }
            _ => 0.0,
        };
        let now: Vec<f64> = (0..case.agents()).map(utility).collect();
        Self {
            theta,
            best: Best::staying(&now),
            now,
            absent,
            memory: Memory::default(),
            hopeless: Vec::new(),
            factors: Factors::UNKNOWN,
            bounded: false,
            programs: 0,
            scanned: 0,
            asked: Vec::new(),
            tried: BTreeMap::new(),
        }
    }

    /// The agents that have something.
    fn served(&self) -> Coalition {
        let served: Vec<usize> = (0..self.now.len()).filter(|&i| self.now[i] > 0.0).collect();
        Coalition::from_members(&served)
    }

    /// Takes in what was answered since the last time.
    pub(crate) fn review(
        &mut self,
        case: &Case,
        bundle: &Bundle,
        silent: &[bool],
        stop: Stop,
    ) -> Review {
        self.scan(case, bundle);
        if self.best.kappa.is_infinite() {
            self.settle(f64::INFINITY, f64::INFINITY);
            return Review::Done(Ended::Complete);
        }
        self.prove(case, bundle);
        let nothing = Nothing::look(case, bundle, &self.now, &self.absent);
        self.hopeless = nothing.hopeless;
        self.bounded = nothing.open.is_empty();
        let agents = self.served();
        let everybody = agents == Coalition::everybody(case.agents());
        let reached = everybody.then_some(self.best.everybody);
        let lo = self.best.kappa;
        let start = bundle.point(self.theta);
        let Passed { mut needed, rival, hi, programs } =
            pass(case, bundle, &self.now, (agents, start), (lo, reached), &mut self.memory);
        self.programs += programs;
        let together = match self.memory.proven.bound(agents).filter(|_| everybody) {
            Some(known) => {
                self.memory.proven.use_bound(known.index);
                known.bound
            }
            None => f64::INFINITY,
        };
        // An agent that nothing helps gains nothing, so everybody does not.
        let together = if self.hopeless.is_empty() { together } else { 0.0 };
        self.settle(hi, together);
        let open = nothing.open.first().map(|(agent, _)| *agent);
        needed.extend(nothing.open.into_iter().map(|(_, proposed)| proposed));
        if needed.is_empty() {
            return Review::Done(Ended::Complete);
        }
        if stop == Stop::Verdict && self.decided(case) {
            return Review::Done(Ended::Verdict);
        }
        self.ask(needed, rival, silent, open)
    }

    /// Counts what is asked about, and leaves out what was asked about too often.
    fn ask(
        &mut self,
        mut needed: Vec<Conflict>,
        rival: Option<Hoped>,
        silent: &[bool],
        open: Option<usize>,
    ) -> Review {
        let heard = |conflict: &Conflict| conflict.agents.iter().any(|&agent| !silent[agent]);
        needed.retain(|conflict| {
            heard(conflict) && self.tried.get(&conflict.agents()).is_none_or(|n| *n < GIVE_UP)
        });
        if needed.is_empty() {
            return Review::Done(match open {
                Some(agent) => Ended::ZeroUtility { agent },
                None if silent.contains(&true) => Ended::Refused,
                None => Ended::Stalled,
            });
        }
        let again = needed.iter().map(|conflict| self.tried.contains_key(&conflict.agents()));
        let again = again.collect();
        for conflict in &needed {
            *self.tried.entry(conflict.agents()).or_default() += 1;
        }
        self.asked.clone_from(&needed);
        Review::Ask { needed, again, rival }
    }

    /// Offers every new point as a rival; anybody who has not answered there gets nothing from it.
    fn scan(&mut self, case: &Case, bundle: &Bundle) {
        for place in self.scanned..bundle.points().len() {
            let then = (0..case.agents()).map(|agent| match bundle.at(agent, place) {
                Some(known) if !self.absent.contains(&agent) => case.ceilings[agent] - known.loss,
                _ => f64::NEG_INFINITY,
            });
            let (terms, rival) = ((case.ceilings.as_slice(), &case.weights), bundle.point(place));
            self.best.consider(terms, &self.now, rival, then.collect());
        }
        self.scanned = bundle.points().len();
    }

    /// Bounds that follow from the answers: at the predictor with the weights as multipliers, of every
    /// agent alone, and of whatever was asked about.
    fn prove(&mut self, case: &Case, bundle: &Bundle) {
        let served: Vec<usize> = self.served().members().collect();
        let mut found = Vec::new();
        if self.asked.is_empty() {
            // At the optimum of log-welfare no multipliers are as accurate (ledger E6).
            let weights = case.weights.values();
            let tangents = served.iter().map(|&agent| {
                let multiplier = weights[agent] / (self.now[agent] * case.weights.total());
                Tangent { agent, point: self.theta, multiplier }
            });
            found.extend(prove(case, bundle, &self.now, tangents.collect()));
        }
        for &agent in &served {
            if let Some(near) = bundle.lowest(agent) {
                let near = bundle.point(near);
                found.extend(tightest(case, bundle, &self.now, &[agent], near, 0.0));
            }
        }
        for conflict in std::mem::take(&mut self.asked) {
            let Conflict { agents, multipliers, point, .. } = &conflict;
            if agents.iter().any(|&agent| self.now[agent] <= 0.0) {
                continue;
            }
            if let Some(place) = bundle.place(point) {
                let tangents = agents
                    .iter()
                    .zip(multipliers)
                    .map(|(&agent, &multiplier)| Tangent { agent, point: place, multiplier });
                found.extend(prove(case, bundle, &self.now, tangents.collect()));
            }
            found.extend(tightest(case, bundle, &self.now, agents, point, 0.0));
        }
        for proven in found {
            let known = self.memory.proven.bound(proven.agents());
            if known.is_none_or(|known| proven.bound() < known.bound) {
                self.memory.proven.insert(proven);
            }
        }
    }

    /// Writes down both intervals.
    fn settle(&mut self, hi: f64, together: f64) {
        let (hi, together) =
            if self.bounded { (hi, together) } else { (f64::INFINITY, f64::INFINITY) };
        self.factors = Factors::UNKNOWN;
        self.factors.raise(self.best.kappa, self.best.everybody);
        self.factors.bound(hi, together);
        if !self.absent.is_empty() {
            self.factors.everybody = KappaInterval::UNKNOWN;
        }
    }

    /// Whether no further answer can change the verdict.
    pub(crate) fn decided(&self, case: &Case) -> bool {
        match self.factors.verdict(case.accuracy.tolerance()) {
            Verdict::Stable | Verdict::Blocked => true,
            Verdict::Improvable => self.factors.kappa.hi.0 - 1.0 <= case.accuracy.tolerance(),
            Verdict::Undecided => false,
        }
    }

    /// The conflicts that upper ends rest on.
    pub(crate) fn conflicts(&self) -> Vec<TangentConflict> {
        self.memory.proven.used().map(|proven| proven.0.clone()).collect()
    }
}
