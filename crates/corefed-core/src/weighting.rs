//! Weights by policy: how much each agent counts.

use thiserror::Error;

use crate::{LARGEST, Weights};

/// How weights are chosen.
#[derive(Clone, Debug, PartialEq)]
pub enum WeightPolicy {
    /// One agent, one say.
    Equal,
    /// In proportion to rows.
    Samples,
    /// One number per agent, in agent order.
    PerAgent(Vec<f64>),
}

/// A weight that solvers cannot work with.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("the weight of agent `{agent}` is `{value}`")]
pub struct WeightingError {
    /// Name of the agent.
    pub agent: String,
    /// Its weight.
    pub value: f64,
}

impl WeightingError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        if self.value > 0.0 {
            "only ratios of weights matter: scale them to be around one"
        } else {
            "weights must be positive; an agent without rows has none by samples"
        }
    }
}

impl WeightPolicy {
    /// The weight of every agent, from its name and its rows.
    ///
    /// ```
    /// use corefed_core::WeightPolicy;
    /// let agents = [("north", 100), ("south", 300)];
    /// let weights = WeightPolicy::Samples.resolve(&agents).unwrap();
    /// assert_eq!(weights.values(), [100.0, 300.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not one number per agent.
    pub fn resolve(&self, agents: &[(&str, usize)]) -> Result<Weights, WeightingError> {
        let values = match self {
            Self::Equal => return Ok(Weights::equal(agents.len())),
            Self::Samples => agents.iter().map(|&(_, samples)| samples as f64).collect(),
            Self::PerAgent(values) => values.clone(),
        };
        assert_eq!(values.len(), agents.len(), "one weight per agent");
        let refused =
            |at: usize, value: f64| WeightingError { agent: agents[at].0.to_owned(), value };
        // Powers of weights enter the solvers, so they share the limit of cells.
        if let Some(at) = values.iter().position(|w| !(1.0 / LARGEST..=LARGEST).contains(w)) {
            return Err(refused(at, values[at]));
        }
        Weights::new(values).map_err(|error| refused(error.agent, error.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENTS: [(&str, usize); 2] = [("a", 3), ("b", 0)];

    #[test]
    fn weights_are_equal_or_as_given() {
        assert_eq!(WeightPolicy::Equal.resolve(&AGENTS).unwrap(), Weights::equal(2));
        let told = WeightPolicy::PerAgent(vec![2.0, 0.5]).resolve(&AGENTS).unwrap();
        assert_eq!(told.values(), [2.0, 0.5]);
    }

    #[test]
    fn weights_that_cannot_be_are_refused_by_name() {
        let refused = WeightPolicy::Samples.resolve(&AGENTS).unwrap_err();
        assert_eq!(refused, WeightingError { agent: "b".to_owned(), value: 0.0 });
        for value in [-1.0, 1e60, 1e-60, f64::INFINITY] {
            let refused = WeightPolicy::PerAgent(vec![1.0, value]).resolve(&AGENTS).unwrap_err();
            assert_eq!((refused.agent.as_str(), refused.value), ("b", value));
        }
    }
}
