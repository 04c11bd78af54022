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
        Self { design, target, agents }
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

    /// Takes the parts apart again: design matrix, targets, agents.
    pub(crate) fn into_parts(self) -> (Design, Vec<f64>, Vec<Agent>) {
        (self.design, self.target, self.agents)
    }
}
