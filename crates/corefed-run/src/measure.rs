//! Models on held-out rows.

use std::collections::BTreeMap;

use corefed_core::{Family, Quality};
use corefed_documents::LossAndQuality;
use corefed_model::constant_losses;
use corefed_rules::Scalar;
use corefed_sim::{Federated, Kernels, LinearFederation, NetworkFederation, Part};

use crate::RunError;
use crate::prepared::TableRun;

/// One model on one agent's held-out rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OnRows {
    /// Loss of every row, without ridge.
    pub(crate) losses: Vec<f64>,
    /// Accuracy, or the part of what a constant loses that the model does not.
    pub(crate) quality: Option<f64>,
}

impl OnRows {
    /// Means; none without rows.
    pub(crate) fn measured(&self) -> Option<LossAndQuality> {
        let loss = self.losses.iter().sum::<f64>() / self.losses.len() as f64;
        (!self.losses.is_empty()).then_some(LossAndQuality { loss, quality: self.quality })
    }
}

/// What a model's ridge adds to every loss: `l2 |params|^2 / 2` (ledger E1).
pub(crate) fn ridge(l2: f64, params: &[f64]) -> f64 {
    0.5 * l2 * params.iter().map(|param| param * param).sum::<f64>()
}

/// Measures a model on everybody's held-out rows.
pub(crate) trait Ruler: Sync {
    /// One entry per agent.
    fn measure(&self, params: &[f64]) -> Result<Vec<OnRows>, RunError>;

    /// One agent's.
    fn one(&self, params: &[f64], agent: usize) -> Result<OnRows, RunError>;
}

/// A linear predictor's rows; `constants` are losses of the best constants, for targets that are not classes.
pub(crate) struct LinearRuler<'a, R, T> {
    pub(crate) federation: &'a LinearFederation<R, T>,
    pub(crate) constants: Option<Vec<Option<f64>>>,
}

impl<R: Kernels<T>, T: Scalar> LinearRuler<'_, R, T> {
    /// One agent's rows.
    pub(crate) fn on_rows(&self, params: &[f64], agent: usize) -> OnRows {
        let params: Vec<T> = params.iter().map(|param| T::from_f64(*param)).collect();
        let rows = self.federation.row_losses(&params, Part::HeldOut, agent);
        let losses: Vec<f64> = rows.iter().map(|(loss, _)| *loss).collect();
        let count = losses.len() as f64;
        let quality = match &self.constants {
            None => {
                let right = rows.iter().filter(|(_, right)| *right).count();
                (!rows.is_empty()).then_some(right as f64 / count)
            }
            Some(constants) => constants[agent]
                .filter(|constant| *constant > 0.0)
                .map(|constant| 1.0 - losses.iter().sum::<f64>() / count / constant),
        };
        OnRows { losses, quality }
    }
}

impl<R: Kernels<T>, T: Scalar> Ruler for LinearRuler<'_, R, T> {
    fn measure(&self, params: &[f64]) -> Result<Vec<OnRows>, RunError> {
        Ok((0..self.federation.agents()).map(|agent| self.on_rows(params, agent)).collect())
    }

    fn one(&self, params: &[f64], agent: usize) -> Result<OnRows, RunError> {
        Ok(self.on_rows(params, agent))
    }
}

/// What the best constant of each agent loses on its held-out rows, where targets are numbers.
pub(crate) fn constants(table: &TableRun) -> Option<Vec<Option<f64>>> {
    let case = &table.case;
    if case.family.targets().is_class() {
        return None;
    }
    let held_out = table.held_out.as_ref()?;
    let losses = constant_losses(held_out, case.family, 1);
    let known: BTreeMap<&str, f64> =
        held_out.agents().iter().map(|agent| agent.name.as_str()).zip(losses).collect();
    Some(case.names.iter().map(|name| known.get(name.as_str()).copied()).collect())
}

/// What `quality` is called.
pub(crate) fn quality(family: Option<Family>) -> &'static str {
    family.map_or(Quality::Accuracy, Family::quality).name()
}

impl Ruler for NetworkFederation {
    fn measure(&self, params: &[f64]) -> Result<Vec<OnRows>, RunError> {
        let everybody: Vec<usize> = (0..self.agents()).collect();
        measured(self, params, &everybody)
    }

    fn one(&self, params: &[f64], agent: usize) -> Result<OnRows, RunError> {
        Ok(measured(self, params, &[agent])?.swap_remove(0))
    }
}

fn measured(
    network: &NetworkFederation,
    params: &[f64],
    agents: &[usize],
) -> Result<Vec<OnRows>, RunError> {
    let params: Vec<f32> = params.iter().map(|param| f32::from_f64(*param)).collect();
    let means = network.evaluate(&network.prepare(&params), Part::HeldOut, agents)?;
    let one = |(&agent, mean): (&usize, Option<corefed_sim::Evaluation>)| {
        let losses = network.sample_losses(&params, Part::HeldOut, agent)?;
        Ok(OnRows { losses, quality: mean.and_then(|mean| mean.accuracy) })
    };
    agents.iter().zip(means).map(one).collect()
}
