//! The say of each agent: positive weights `w_i`, their total `W`, and shares `w(S) / W`.

use thiserror::Error;

/// One positive, finite weight per agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    values: Vec<f64>,
    total: f64,
}

/// A weight that is not positive and finite.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("the weight of agent {agent} is `{value}`; weights must be positive and finite")]
pub struct WeightError {
    /// Index of the agent.
    pub agent: usize,
    /// The offending weight.
    pub value: f64,
}

impl Weights {
    /// Checks and takes one weight per agent.
    pub fn new(values: Vec<f64>) -> Result<Self, WeightError> {
        let mut total = 0.0;
        for (agent, &value) in values.iter().enumerate() {
            total += value;
            // An overflowing total is blamed on the weight that tipped it over.
            if !(value > 0.0 && f64::is_finite(total)) {
                return Err(WeightError { agent, value });
            }
        }
        Ok(Self { values, total })
    }

    /// Weight one for each of `agents`: every agent has the same say.
    #[must_use]
    pub fn equal(agents: usize) -> Self {
        Self { values: vec![1.0; agents], total: agents as f64 }
    }

    /// The weights in agent order.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// `W`, the sum of all weights.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.total
    }

    /// The weights of a coalition's members, as if the others did not exist.
    #[must_use]
    pub fn of(&self, members: &[usize]) -> Self {
        let values: Vec<f64> = members.iter().map(|&agent| self.values[agent]).collect();
        let total = values.iter().sum();
        Self { values, total }
    }

    /// `w(S) / W` for a coalition given by its members.
    #[must_use]
    pub fn share(&self, members: &[usize]) -> f64 {
        members.iter().map(|&agent| self.values[agent]).sum::<f64>() / self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_the_coalitions_part_of_the_total() {
        let weights = Weights::new(vec![1.0, 2.0, 5.0]).unwrap();
        assert!((weights.share(&[0, 1]) - 3.0 / 8.0).abs() < 1e-15);
        assert!((Weights::equal(4).share(&[2]) - 0.25).abs() < 1e-15);
    }

    #[test]
    fn a_coalition_keeps_its_weights_and_has_a_total_of_its_own() {
        let weights = Weights::new(vec![1.0, 2.0, 5.0]).unwrap();
        assert_eq!(weights.of(&[0, 2]), Weights::new(vec![1.0, 5.0]).unwrap());
    }

    #[test]
    fn zero_negative_and_non_finite_weights_are_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Weights::new(vec![1.0, bad]).unwrap_err().agent, 1, "{bad}");
        }
        assert!(Weights::new(vec![f64::MAX, f64::MAX]).is_err(), "the total overflows");
    }
}
