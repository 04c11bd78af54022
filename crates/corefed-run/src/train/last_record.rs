//! What the last record of a training says about its model.

use corefed_core::{Assumption, Number, Status, Verdict, WorstLoss};
use corefed_documents::{
    AgentLine, AuditDocument, DeviationLine, FirstOrderLine, ObstacleLine, Scope,
};
use corefed_log::{AgentHeader, AgentRecord, RunHeader};
use corefed_sim::{Outcome, Terms};
use serde_json::{Map, Value};

use crate::Limits;
use crate::held_out::recorded;

/// Why the last record alone decides nothing more.
pub(super) const MET_ONLY: &str = "only models met in training were tried as rivals";

/// A model at the end of its training.
#[derive(Clone, Copy)]
pub(super) struct Trained<'a> {
    pub(super) header: &'a RunHeader,
    pub(super) terms: &'a Terms,
    /// The last round in which everybody was measured.
    pub(super) last: &'a Outcome,
    pub(super) limits: Limits,
}

impl Trained<'_> {
    /// The audit as far as the last record knows: bounds above, with that of one gradient where there is one,
    /// and models met below. `reason` says why nothing more is known.
    pub(super) fn read(&self, first_order: Option<f64>, reason: &str) -> AuditDocument {
        let last = &self.last.round;
        let factors = last.factors(first_order);
        let tolerance = self.limits.tolerance;
        let verdict = factors.verdict(tolerance);
        let deviation = last.kappa_round.filter(|_| verdict == Verdict::Blocked);
        let agents = agents(self.header, &self.last.agents);
        AuditDocument {
            obstacle: undecided(verdict, reason),
            headroom: Some(Number(last.headroom.unwrap_or(f64::INFINITY))),
            first_order: first_order.map(|frank_wolfe| FirstOrderLine {
                frank_wolfe,
                strong_convexity: None,
                local_radius: None,
                local_factor: None,
            }),
            deviation: deviation.map(|round| DeviationLine {
                rival: Value::Null,
                round: Some(round),
                coalition: last.coalition.clone(),
                gains: Map::new(),
            }),
            held_out: recorded(&self.header.agents, &self.last.agents, &self.terms.weights),
            log_welfare: last.log_welfare.map(Number),
            assumptions: assumptions(self.terms),
            ..AuditDocument::new(Scope::Met, factors, tolerance, agents)
        }
    }
}

/// Everybody, as the header names them and the last record measured them.
fn agents(header: &RunHeader, records: &[AgentRecord]) -> Vec<AgentLine> {
    let line = |agent: &AgentHeader| {
        let record = records.iter().find(|record| record.agent == agent.name)?;
        Some(AgentLine {
            name: agent.name.clone(),
            samples: Some(agent.samples),
            weight: agent.weight,
            ceiling: Some(agent.ceiling),
            loss: record.loss,
            utility: record.utility?,
            alone: None,
        })
    };
    header.agents.iter().filter_map(line).collect()
}

/// Why nothing is decided; where something is, there is no obstacle.
pub(super) fn undecided(verdict: Verdict, reason: &str) -> Option<ObstacleLine> {
    let line = || ObstacleLine { reason: reason.to_owned(), help: None };
    (verdict == Verdict::Undecided).then(line)
}

/// What the bounds rest on.
fn assumptions(terms: &Terms) -> Vec<Assumption> {
    let premise = if terms.premise {
        (Status::Checked, "proven for every agent from the lengths of its rows")
    } else {
        (Status::Assumed, "not proven, so the Frank-Wolfe bound is not used")
    };
    let (signs, why) = match terms.nonnegative {
        Some(loss) => (Status::Checked, format!("{loss} and ridge")),
        None => (Status::Violated, "so headroom is not used".to_owned()),
    };
    vec![
        Assumption::new(Assumption::LOSSES_NOT_NEGATIVE, signs, why),
        Assumption::new(Assumption::UTILITIES_NOT_NEGATIVE, premise.0, premise.1),
        Assumption::only_rivals("models of evaluated rounds"),
    ]
}

/// Whether every utility is proven non-negative on the ball.
pub(super) fn premise_holds(worst: &[WorstLoss], ceilings: &[f64]) -> bool {
    worst.iter().zip(ceilings).all(|(worst, ceiling)| worst.bound <= *ceiling)
}
