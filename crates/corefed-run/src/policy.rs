//! Ceilings and weights as a user writes them, applied to agents.

use corefed_core::Weights;
use corefed_data::{Agent, LARGEST, Sign, Table, agent_values};
use corefed_solve::CeilingPolicy;
use corefed_spec::{Ceiling, WeightsBy};

use crate::{RunError, TermsError};

/// The ball of a user who names none.
pub const DEFAULT_RADIUS: f64 = 10.0;

/// What a ceiling means for these agents; reads the file, if it is one.
pub fn ceiling_policy(ceiling: &Ceiling, agents: &[Agent]) -> Result<CeilingPolicy, RunError> {
    Ok(match ceiling {
        Ceiling::Fixed(value) => CeilingPolicy::Fixed(*value),
        Ceiling::Initial(factor) => CeilingPolicy::Initial(*factor),
        Ceiling::Constant(factor) => CeilingPolicy::Constant(*factor),
        Ceiling::Worst => CeilingPolicy::Worst,
        Ceiling::File(path) => CeilingPolicy::PerAgent(agent_values(
            &Table::read(path)?,
            "ceiling",
            names(agents),
            Sign::Positive,
        )?),
    })
}

/// The weight of every agent.
pub fn resolve_weights(weights: &WeightsBy, agents: &[Agent]) -> Result<Weights, RunError> {
    let values = match weights {
        WeightsBy::Equal => return Ok(Weights::equal(agents.len())),
        WeightsBy::Samples => agents.iter().map(|agent| agent.samples() as f64).collect(),
        WeightsBy::File(path) => {
            agent_values(&Table::read(path)?, "weight", names(agents), Sign::Positive)?
        }
    };
    // Powers of weights enter the solvers, so they share the limit of cells.
    if let Some(k) = values.iter().position(|w| !(1.0 / LARGEST..=LARGEST).contains(w)) {
        let agent = agents[k].name.clone();
        return Err(TermsError::AgentWeight { agent, weight: values[k] }.into());
    }
    Ok(Weights::new(values)?)
}

fn names(agents: &[Agent]) -> impl Iterator<Item = &str> {
    agents.iter().map(|agent| agent.name.as_str())
}
