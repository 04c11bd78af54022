//! Agents that have nothing, and whether their own tangents prove that nothing helps.

use corefed_audit::Coalition;
use corefed_core::{Conflict, TangentHopeless};

use crate::bundle::Bundle;
use crate::case::Case;
use crate::propose::propose;
use crate::tangents::tightest;

/// Of an agent that has nothing but for rounding, bounds below this share of the ceiling are proposed:
/// whether they are zero is for the checker to decide.
const ROUNDING: f64 = 1e-12;

/// What is known of the agents whose utility is not positive.
pub(crate) struct Nothing {
    /// Those that no model of the ball gives anything.
    pub(crate) hopeless: Vec<TangentHopeless>,
    /// Those about whom that is not shown yet, each with a point to ask about.
    pub(crate) open: Vec<(usize, Conflict)>,
}

impl Nothing {
    pub(crate) fn look(case: &Case, bundle: &Bundle, now: &[f64], absent: &[usize]) -> Self {
        let mut nothing = Self { hopeless: Vec::new(), open: Vec::new() };
        let mut units = now.to_vec();
        for agent in (0..now.len()).filter(|agent| now[*agent] <= 0.0 && !absent.contains(agent)) {
            let Some(near) = bundle.lowest(agent).map(|place| bundle.point(place)) else {
                continue;
            };
            let ceiling = case.ceilings[agent].abs();
            units[agent] = if ceiling > 0.0 { ceiling } else { 1.0 };
            let slack = if now[agent] == 0.0 { ROUNDING * ceiling / units[agent] } else { 0.0 };
            let proof = tightest(case, bundle, &units, &[agent], near, slack);
            if let Some(proof) = proof.filter(|proof| proof.0.bound <= slack) {
                let tangents = proof.0.tangents;
                nothing.hopeless.push(TangentHopeless { agent, tangents });
                continue;
            }
            let alone = Coalition::EMPTY.with(agent);
            let (program, _) = propose(case, bundle, &units, alone, near);
            nothing.open.push((agent, program.conflict));
        }
        nothing
    }
}
