//! Ceilings and weights as a user writes them, applied to agents.

use corefed_core::{CeilingPolicy, Weights};
use corefed_data::Agent;
use corefed_spec::{Ceiling, WeightsBy};

use crate::RunError;

/// The ball of a user who names none.
pub(crate) const DEFAULT_RADIUS: f64 = 10.0;

/// What a ceiling means for these agents; reads the file, if it is one.
pub(crate) fn ceiling_policy(
    ceiling: &Ceiling,
    agents: &[Agent],
) -> Result<CeilingPolicy, RunError> {
    Ok(ceiling.policy(names(agents))?)
}

/// The weight of every agent.
pub(crate) fn resolve_weights(weights: &WeightsBy, agents: &[Agent]) -> Result<Weights, RunError> {
    let rows: Vec<(&str, usize)> = names(agents).zip(agents.iter().map(Agent::samples)).collect();
    let policy = weights.policy(names(agents))?;
    Ok(policy.resolve(&rows)?)
}

fn names(agents: &[Agent]) -> impl Iterator<Item = &str> {
    agents.iter().map(|agent| agent.name.as_str())
}
