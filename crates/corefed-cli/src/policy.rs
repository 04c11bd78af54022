//! Ceilings and weights as a user writes them, applied to agents.

use corefed_core::{CeilingPolicy, Weights};
use corefed_data::Agent;
use corefed_spec::{Ceiling, WeightsBy};

use crate::failure::Failure;

/// The ball of a user who names none.
pub(crate) const DEFAULT_RADIUS: f64 = 10.0;

/// What a ceiling means for these agents; reads the file, if it is one.
pub(crate) fn ceiling_policy(
    ceiling: &Ceiling,
    agents: &[Agent],
) -> Result<CeilingPolicy, Failure> {
    Ok(ceiling.policy(names(agents))?)
}

/// The weight of every agent.
pub(crate) fn resolve_weights(weights: &WeightsBy, agents: &[Agent]) -> Result<Weights, Failure> {
    let rows: Vec<(&str, usize)> = names(agents).zip(agents.iter().map(Agent::samples)).collect();
    let policy = weights.policy(names(agents))?;
    policy.resolve(&rows).map_err(|error| Failure::new(error.to_string()).hint(error.hint()))
}

fn names(agents: &[Agent]) -> impl Iterator<Item = &str> {
    agents.iter().map(|agent| agent.name.as_str())
}
