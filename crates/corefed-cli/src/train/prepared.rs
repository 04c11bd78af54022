//! A federation ready to train, whatever its model is.

use std::sync::Arc;

use corefed_core::Weights;
use corefed_data::{Agent, Federation, PartitionFile};
use corefed_model::{ConvexLosses, FederationLosses};
use corefed_rules::Scalar;
use corefed_sim::{Federated, NetworkFederation, Part};

use super::header::device;
use super::image_case::{ImageCase, ImageRun};
use super::image_run::LinearImages;
use crate::case::Case;
use crate::failure::Failure;

/// A federation ready to train.
pub(crate) enum Prepared {
    Table(Box<TableRun>),
    Images(Box<ImageRun<LinearImages>>),
    Network(Box<ImageRun<NetworkFederation>>),
}

impl Prepared {
    /// The same data for another training at the same time, which sets ceilings of its own.
    pub(crate) fn beside(&self) -> Result<Self, Failure> {
        Ok(match self {
            Self::Table(run) => Self::Table(run.clone()),
            Self::Images(run) => Self::Images(Box::new(ImageRun {
                federation: run.federation.clone(),
                case: run.case.clone(),
            })),
            Self::Network(run) => {
                let federation = run.federation.beside().map_err(Failure::device)?;
                let (federation, case) = (Arc::new(federation), run.case.clone());
                Self::Network(Box::new(ImageRun { federation, case }))
            }
        })
    }

    /// Names of the agents.
    pub(crate) fn names(&self) -> Vec<String> {
        match self.images() {
            Some(case) => case.agents.iter().map(|agent| agent.name.clone()).collect(),
            None => self.table().map_or_else(Vec::new, |run| run.case.names.clone()),
        }
    }

    /// The say of each agent.
    pub(crate) fn weights(&self) -> Weights {
        match (self.images(), self.table()) {
            (Some(case), _) => case.weights.clone(),
            (None, Some(run)) => run.case.weights.clone(),
            (None, None) => Weights::equal(1),
        }
    }

    /// Gives everybody the same ceiling.
    pub(crate) fn set_ceiling(&mut self, ceiling: f64) {
        let ceilings = match self {
            Self::Table(run) => &mut run.case.ceilings,
            Self::Images(run) => &mut run.case.ceilings,
            Self::Network(run) => &mut run.case.ceilings,
        };
        ceilings.fill(ceiling);
    }

    /// Where models are computed, in words.
    pub(crate) fn device(&self) -> String {
        match device(self) {
            Some(device) if device.kind != "cpu" => format!("on one {device}"),
            _ => "on the CPU".to_owned(),
        }
    }

    /// Loss of every row kept back, by agent; empty for an agent that kept none.
    pub(crate) fn held_out_losses(&self, params: &[f64]) -> Result<Vec<Vec<f64>>, Failure> {
        Ok(match self {
            Self::Table(run) => table_losses(run, params),
            Self::Images(run) => vec![Vec::new(); run.case.agents.len()],
            Self::Network(run) => {
                let params: Vec<f32> = params.iter().map(|p| f32::from_f64(*p)).collect();
                let own = |agent| run.federation.sample_losses(&params, Part::HeldOut, agent);
                let losses = (0..run.case.agents.len()).map(own).collect();
                if let Some(failure) = run.federation.failure() {
                    return Err(Failure::device(failure));
                }
                losses
            }
        })
    }

    fn table(&self) -> Option<&TableRun> {
        match self {
            Self::Table(run) => Some(run),
            _ => None,
        }
    }

    /// What images have in common, whatever predicts them.
    pub(crate) fn images(&self) -> Option<&ImageCase> {
        match self {
            Self::Table(_) => None,
            Self::Images(run) => Some(&run.case),
            Self::Network(run) => Some(&run.case),
        }
    }
}

/// Agents with rows of a table; copies share the rows.
#[derive(Clone)]
pub(crate) struct TableRun {
    pub(crate) case: Case,
    pub(crate) average: Weights,
    pub(crate) held_out: Option<Arc<Federation>>,
    pub(crate) test: Option<Arc<Federation>>,
    /// The rows trained on, where no file of the user's holds exactly those.
    pub(crate) csv: Option<Arc<str>>,
    pub(crate) partition: Option<Arc<PartitionFile>>,
}

/// Losses row by row: a federation in which every row is an agent of its own has them as means.
fn table_losses(run: &TableRun, params: &[f64]) -> Vec<Vec<f64>> {
    let case = &run.case;
    let Some(held_out) = &run.held_out else { return vec![Vec::new(); case.names.len()] };
    let count = held_out.design().rows();
    let alone = |row: usize| Agent { name: row.to_string(), rows: row..row + 1 };
    let agents: Vec<Agent> = (0..count).map(alone).collect();
    let rows = Federation::new(held_out.design().clone(), held_out.target().to_vec(), agents)
        .with_exposure(held_out.exposure(0..count).to_vec());
    let (everybody, mut losses): (Vec<usize>, _) = ((0..count).collect(), vec![0.0; count]);
    FederationLosses::new(&rows, case.family, case.encoding.classes.len(), case.l2).losses(
        params,
        &everybody,
        &mut losses,
    );
    let own = |name: &String| {
        let agent = held_out.agents().iter().find(|agent| agent.name == *name);
        agent.map_or_else(Vec::new, |agent| losses[agent.rows.clone()].to_vec())
    };
    case.names.iter().map(own).collect()
}
