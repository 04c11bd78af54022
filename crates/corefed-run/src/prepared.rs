//! A federation ready to train, whatever its model is.

use std::sync::Arc;

use corefed_core::Weights;
use corefed_data::{Federation, PartitionFile};
use corefed_log::DeviceHeader;
use corefed_sim::NetworkFederation;

use crate::images::case::{ImageCase, ImageRun};
use crate::images::linear::LinearImages;
use crate::{Case, RunError};

/// A federation ready to train.
pub enum Prepared {
    /// A linear predictor on a table, which exact solvers take, too.
    Table(Box<TableRun>),
    /// A linear predictor on images.
    Images(Box<ImageRun<LinearImages>>),
    /// A network on images.
    Network(Box<ImageRun<NetworkFederation>>),
}

impl Prepared {
    /// The same data for another training at the same time, which sets ceilings of its own.
    pub fn beside(&self) -> Result<Self, RunError> {
        Ok(match self {
            Self::Table(run) => Self::Table(run.clone()),
            Self::Images(run) => Self::Images(Box::new(ImageRun {
                federation: run.federation.clone(),
                case: run.case.clone(),
            })),
            Self::Network(run) => {
                let federation = run.federation.beside().map_err(RunError::Device)?;
                let (federation, case) = (Arc::new(federation), run.case.clone());
                Self::Network(Box::new(ImageRun { federation, case }))
            }
        })
    }

    /// Names of the agents.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        match self.images() {
            Some(case) => case.agents.iter().map(|agent| agent.name.clone()).collect(),
            None => self.table().map_or_else(Vec::new, |run| run.case.names.clone()),
        }
    }

    /// The say of each agent.
    #[must_use]
    pub fn weights(&self) -> Weights {
        match (self.images(), self.table()) {
            (Some(case), _) => case.weights.clone(),
            (None, Some(run)) => run.case.weights.clone(),
            (None, None) => Weights::equal(1),
        }
    }

    /// Gives everybody the same ceiling.
    pub fn set_ceiling(&mut self, ceiling: f64) {
        let ceilings = match self {
            Self::Table(run) => &mut run.case.ceilings,
            Self::Images(run) => &mut run.case.ceilings,
            Self::Network(run) => &mut run.case.ceilings,
        };
        ceilings.fill(ceiling);
    }

    /// What computes a network; `None` for models that the CPU computes, whatever is asked.
    #[must_use]
    pub fn device(&self) -> Option<DeviceHeader> {
        let Self::Network(run) = self else { return None };
        let (kind, (name, precision)) = match run.federation.device() {
            Some(device) => ("cuda", device),
            None => ("cpu", ("CPU".to_owned(), "fp32")),
        };
        Some(DeviceHeader { kind: kind.to_owned(), name, precision: precision.to_owned() })
    }

    fn table(&self) -> Option<&TableRun> {
        match self {
            Self::Table(run) => Some(run),
            _ => None,
        }
    }

    /// What images have in common, whatever predicts them.
    #[must_use]
    pub fn images(&self) -> Option<&ImageCase> {
        match self {
            Self::Table(_) => None,
            Self::Images(run) => Some(&run.case),
            Self::Network(run) => Some(&run.case),
        }
    }
}

/// Agents with rows of a table; copies share the rows.
#[derive(Clone)]
pub struct TableRun {
    /// The federation with its terms.
    pub case: Case,
    /// Weights of averages.
    pub average: Weights,
    /// Rows to measure on and not to train on.
    pub held_out: Option<Arc<Federation>>,
    /// Rows to choose a round by.
    pub validation: Option<Arc<Federation>>,
    /// The published test part.
    pub test: Option<Arc<Federation>>,
    /// The rows trained on, where no file of the user's holds exactly those.
    pub csv: Option<Arc<str>>,
    /// Who owns which row, where rows were divided.
    pub partition: Option<Arc<PartitionFile>>,
}
