//! Rows with owners and targets, without features: all that losses of foreign models need.

use super::row_loss::Targets;

/// What is known of rows besides predictions.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnedRows {
    /// Distinct names; every agent owns a row.
    pub agents: Vec<String>,
    /// The place of each row's agent.
    pub owners: Vec<usize>,
    /// What was to be predicted.
    pub targets: Targets,
}

impl OwnedRows {
    /// Rows of each agent.
    #[must_use]
    pub fn samples(&self) -> Vec<usize> {
        let mut samples = vec![0; self.agents.len()];
        for &owner in &self.owners {
            samples[owner] += 1;
        }
        samples
    }

    /// The mean over each agent's rows.
    #[must_use]
    pub fn means(&self, rows: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.agents.len()];
        for (&owner, value) in self.owners.iter().zip(rows) {
            sums[owner] += value;
        }
        let count = |samples: usize| f64::from(u32::try_from(samples).unwrap_or(u32::MAX));
        sums.into_iter().zip(self.samples()).map(|(sum, samples)| sum / count(samples)).collect()
    }
}
