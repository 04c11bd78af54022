//! A federation: agents, each owning a contiguous run of rows of one design matrix.

use std::ops::Range;

use crate::Design;

/// One data owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// The owner's name, unique in the federation.
    pub name: String,
    /// Its rows of the design matrix.
    pub rows: Range<usize>,
}

impl Agent {
    /// Number of rows it owns.
    #[must_use]
    pub fn samples(&self) -> usize {
        self.rows.len()
    }
}

/// Agents with their encoded rows and targets. Rows are grouped by agent, so that every
/// agent's data is a slice and nothing is copied.
#[derive(Clone, Debug, PartialEq)]
pub struct Federation {
    design: Design,
    target: Vec<f64>,
    agents: Vec<Agent>,
    /// One per row with mean one over every agent; empty where all rows count the same.
    row_weights: Vec<f64>,
    /// One per row; empty where every row counts as one.
    exposure: Vec<f64>,
    /// Logs of the exposures.
    offsets: Vec<f64>,
}

impl Federation {
    /// Joins the parts; agents must cover the rows in order, each at least one.
    ///
    /// # Panics
    /// If they do not, or the target has another length: both are bugs of the caller.
    #[must_use]
    pub fn new(design: Design, target: Vec<f64>, agents: Vec<Agent>) -> Self {
        assert_eq!(design.rows(), target.len(), "one target per row");
        let mut next = 0;
        for agent in &agents {
            assert_eq!(agent.rows.start, next, "agents own consecutive rows");
            assert!(!agent.rows.is_empty(), "every agent owns a row");
            next = agent.rows.end;
        }
        assert_eq!(next, design.rows(), "agents own all rows");
        let nothing = Vec::new;
        Self {
            design,
            target,
            agents,
            row_weights: nothing(),
            exposure: nothing(),
            offsets: nothing(),
        }
    }

    /// Says for how long, or how many, every row was observed; an empty list takes all as one.
    ///
    /// # Panics
    /// If there is not one positive, finite number per row: a bug of the caller.
    #[must_use]
    pub fn with_exposure(mut self, exposure: Vec<f64>) -> Self {
        let usable = |exposure: &f64| *exposure > 0.0 && exposure.is_finite();
        assert!(exposure.iter().all(usable), "exposures are positive and finite");
        let rows = [0, self.design.rows()];
        assert!(rows.contains(&exposure.len()), "one exposure per row");
        self.offsets = exposure.iter().map(|exposure| exposure.ln()).collect();
        self.exposure = exposure;
        self
    }

    /// The same rows with other targets.
    #[must_use]
    pub(crate) fn map_target(mut self, map: impl Fn(f64) -> f64) -> Self {
        self.target.iter_mut().for_each(|value| *value = map(*value));
        self
    }

    /// Exposures of some rows; empty where every row counts as one.
    #[must_use]
    pub fn exposure(&self, rows: Range<usize>) -> &[f64] {
        self.exposure.get(rows).unwrap_or(&[])
    }

    /// Logs of the exposures of some rows, which are added to their margins; empty where all are zero.
    #[must_use]
    pub fn offsets(&self, rows: Range<usize>) -> &[f64] {
        self.offsets.get(rows).unwrap_or(&[])
    }

    /// Lets some rows count more than others: an agent's mean loss becomes a weighted mean. Only
    /// ratios within an agent matter.
    ///
    /// # Panics
    /// If there is not one positive, finite weight per row: a bug of the caller.
    #[must_use]
    pub fn with_row_weights(mut self, mut weights: Vec<f64>) -> Self {
        assert_eq!(weights.len(), self.design.rows(), "one weight per row");
        let usable = |weight: &f64| *weight > 0.0 && weight.is_finite();
        assert!(weights.iter().all(usable), "weights of rows are positive and finite");
        for agent in &self.agents {
            let own = &mut weights[agent.rows.clone()];
            // Divided first: a sum of large weights must not overflow.
            let largest = own.iter().copied().fold(0.0, f64::max);
            let mean = own.iter().map(|weight| weight / largest).sum::<f64>() / own.len() as f64;
            for weight in own {
                *weight = *weight / largest / mean;
            }
        }
        self.row_weights = weights;
        self
    }

    /// Weights of some rows, with mean one over all rows of an agent; empty where all rows count
    /// the same.
    #[must_use]
    pub fn row_weights(&self, rows: Range<usize>) -> &[f64] {
        self.row_weights.get(rows).unwrap_or(&[])
    }

    /// The encoded rows.
    #[must_use]
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// What to predict: a number, or the index of a class.
    #[must_use]
    pub fn target(&self) -> &[f64] {
        &self.target
    }

    /// The data owners, in the order of their first row in the file.
    #[must_use]
    pub fn agents(&self) -> &[Agent] {
        &self.agents
    }

    /// Names of the agents, each with its number of rows.
    #[must_use]
    pub fn sizes(&self) -> Vec<(&str, usize)> {
        self.agents.iter().map(|agent| (agent.name.as_str(), agent.samples())).collect()
    }

    /// Takes the parts apart again: design matrix, exposures, agents.
    ///
    /// # Panics
    /// If rows have weights, which would be lost: they are set last.
    pub(crate) fn into_parts(self) -> (Design, Vec<f64>, Vec<Agent>) {
        assert!(self.row_weights.is_empty(), "weights of rows are set last");
        (self.design, self.exposure, self.agents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_rows_have_mean_one_for_every_agent() {
        let design = Design::dense(4, 1, vec![1.0; 4]).unwrap();
        let agents =
            vec![Agent { name: "a".into(), rows: 0..2 }, Agent { name: "b".into(), rows: 2..4 }];
        let plain = Federation::new(design, vec![0.0; 4], agents);
        assert!(plain.row_weights(0..4).is_empty());
        let weighted = plain.with_row_weights(vec![1.0, 3.0, f64::MAX, f64::MAX]);
        assert_eq!(weighted.row_weights(0..4), [0.5, 1.5, 1.0, 1.0]);
        assert_eq!(weighted.row_weights(1..2), [1.5]);
    }

    #[test]
    fn offsets_are_logs_of_exposures() {
        let design = Design::dense(2, 1, vec![1.0; 2]).unwrap();
        let agents = vec![Agent { name: "a".into(), rows: 0..2 }];
        let plain = Federation::new(design, vec![0.0; 2], agents);
        assert!(plain.offsets(0..2).is_empty() && plain.exposure(0..2).is_empty());
        let exposed = plain.with_exposure(vec![1.0, 2.0]);
        assert_eq!(exposed.offsets(0..2), [0.0, 2_f64.ln()]);
        assert_eq!(exposed.exposure(1..2), [2.0]);
        assert_eq!(exposed.select([("b", vec![1])].into_iter()).exposure(0..1), [2.0]);
    }
}
