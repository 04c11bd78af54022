//! At which loss an agent gets nothing, as a user writes it.

use std::path::PathBuf;

use corefed_core::{CeilingPolicy, Family, Targets};
use corefed_data::{DataError, Sign, Table, agent_values};

/// Where ceilings come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Ceiling {
    /// The same for everybody, > 0.
    Fixed(f64),
    /// A multiple of the loss of the zero predictor, > 0.
    Initial(f64),
    /// A multiple of the loss of the agent's best constant predictor, > 0.
    Constant(f64),
    /// A multiple of the agent's loss under the constant that suits everybody best together, > 0.
    PooledConstant(f64),
    /// A multiple of the larger of that loss and its average over everybody, > 0.
    Baseline(f64),
    /// A multiple of the loss of the model that the agent would fit alone, > 0.
    Alone(f64),
    /// The provable worst loss on the ball.
    Worst,
    /// A CSV file with columns `agent,ceiling`.
    File(PathBuf),
}

impl Ceiling {
    /// What a user who names none gets: half as much again as knowing nothing costs. A quantity whose zero
    /// means nothing is standardised, and nobody's ceiling is less than what it varies by.
    #[must_use]
    pub fn default_of(family: Option<Family>, raw: bool) -> Self {
        match family {
            Some(family) if family.targets() == Targets::Number && !raw => Self::Baseline(1.5),
            _ => Self::Initial(1.5),
        }
    }

    /// The policy for these agents; reads the file, if it is one.
    pub fn policy<'a>(
        &self,
        agents: impl Iterator<Item = &'a str>,
    ) -> Result<CeilingPolicy, DataError> {
        Ok(match self {
            Self::Fixed(value) => CeilingPolicy::Fixed(*value),
            Self::Initial(factor) => CeilingPolicy::Initial(*factor),
            Self::Constant(factor) => CeilingPolicy::Constant(*factor),
            Self::PooledConstant(factor) => CeilingPolicy::PooledConstant(*factor),
            Self::Baseline(factor) => CeilingPolicy::Baseline(*factor),
            Self::Alone(factor) => CeilingPolicy::Alone(*factor),
            Self::Worst => CeilingPolicy::Worst,
            Self::File(path) => {
                let table = Table::read(path)?;
                CeilingPolicy::PerAgent(agent_values(&table, "ceiling", agents, Sign::Positive)?)
            }
        })
    }
}
