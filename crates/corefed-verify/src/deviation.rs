//! What a coalition gains with a rival, at least.

use corefed_core::{AgentStatement, Number};

use crate::enclosed::Enclosed;
use crate::sum::sum;

/// Why a witness reaches nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreached {
    /// This agent's utility may be positive or not: its gain means nothing.
    Sign(usize),
    /// This agent has nothing, and others of a coalition that could leave have something.
    Mixed(usize),
}

/// A gain that is certain (ledger E4): infinite for an agent that has nothing and gets something, and
/// minus infinity where neither its utility nor its gain is certain.
pub(crate) fn gain_at_least(now: Enclosed, then: Enclosed) -> f64 {
    if now.lo() > 0.0 {
        let divisor = if then.lo() >= 0.0 { now.hi() } else { now.lo() };
        return Enclosed::exact(then.lo()).over(Enclosed::exact(divisor)).lo();
    }
    if now.hi() <= 0.0 && then.lo() > 0.0 { f64::INFINITY } else { f64::NEG_INFINITY }
}

/// At least `w(S)/W`, and at most.
pub(crate) fn share(agents: &[AgentStatement], members: &[usize]) -> Enclosed {
    let own = sum(members.iter().map(|&i| agents[i].weight));
    own.over(sum(agents.iter().map(|agent| agent.weight)))
}

/// What a coalition that leaves somebody behind reaches with its members' gains; `now` are the
/// utilities of all agents.
pub(crate) fn coalition_reach(
    agents: &[AgentStatement],
    (coalition, gains): (&[usize], &[Number]),
    now: &[Enclosed],
) -> Result<f64, Unreached> {
    let least = least_gain((coalition, gains), now)?;
    if least.is_infinite() {
        return Ok(least);
    }
    if let Some(&agent) = coalition.iter().find(|&&i| now[i].hi() <= 0.0) {
        return Err(Unreached::Mixed(agent));
    }
    Ok((share(agents, coalition) * Enclosed::exact(least)).lo())
}

/// The smallest gain of a coalition among the members that have something; infinite if none has.
pub(crate) fn least_gain(
    (coalition, gains): (&[usize], &[Number]),
    now: &[Enclosed],
) -> Result<f64, Unreached> {
    let mut least = f64::INFINITY;
    for (&i, gain) in coalition.iter().zip(gains) {
        if now[i].lo() > 0.0 {
            least = least.min(gain.0);
        } else if !(now[i].hi() <= 0.0 && gain.0 == f64::INFINITY) {
            return Err(Unreached::Sign(i));
        }
    }
    Ok(least)
}
