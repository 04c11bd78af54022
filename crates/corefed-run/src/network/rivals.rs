//! Rivals of a network, trained by the engine that trained it.

use corefed_core::Seed;
use corefed_evidence::{Rivals, Unavailable};
use corefed_rules::LocalObjective;
use corefed_sim::{DeviceFailure, Federated, Job, LocalTraining, NetworkFederation, Part};
use corefed_spec::Train;

/// A federation that descends whatever mixture of losses it is asked to.
pub(crate) struct NetworkRivals<'a> {
    federation: &'a NetworkFederation,
    names: &'a [String],
    train: &'a Train,
    seed: Seed,
    local: LocalTraining<'a, NetworkFederation>,
}

impl<'a> NetworkRivals<'a> {
    pub(crate) fn new(
        federation: &'a NetworkFederation,
        names: &'a [String],
        train: &'a Train,
        seed: Seed,
    ) -> Self {
        let (seed, local) = (seed.derive("rivals"), LocalTraining::new(federation));
        Self { federation, names, train, seed, local }
    }

    /// One epoch of local work at the settings of the training.
    fn job(&self, agent: usize, burst: usize) -> Job<'static, f32> {
        let local = &self.train.local;
        let rows = self.federation.samples(Part::Train, agent);
        let batch = local.batch.map_or(rows, |batch| batch.get().min(rows)).max(1);
        Job {
            steps: rows.div_ceil(batch),
            batch,
            learning_rate: local.learning_rate,
            momentum: local.momentum,
            weight_decay: local.weight_decay,
            seed: self.seed.derive_index(burst as u64).derive_index(agent as u64),
            objective: LocalObjective::Loss,
            drift: None,
        }
    }
}

impl Rivals for NetworkRivals<'_> {
    fn agents(&self) -> usize {
        self.federation.agents()
    }

    fn name(&self, agent: usize) -> String {
        self.names[agent].clone()
    }

    fn losses(&mut self, params: &[f32]) -> Result<Vec<f64>, Unavailable> {
        let everybody: Vec<usize> = (0..self.federation.agents()).collect();
        let found = self.federation.evaluate(&params.to_vec(), Part::Train, &everybody);
        let found = found.map_err(unavailable)?;
        Ok(found.into_iter().map(|evaluation| evaluation.map_or(f64::NAN, |e| e.loss)).collect())
    }

    /// Every agent that counts works for an epoch, and the model moves by the weighted sum.
    fn improve(
        &mut self,
        params: &[f32],
        coefficients: &[f64],
        burst: usize,
    ) -> Result<Option<Vec<f32>>, Unavailable> {
        let (tasks, shares): (Vec<(usize, Job<'_, f32>)>, Vec<f64>) = coefficients
            .iter()
            .enumerate()
            .filter(|(_, share)| **share > 0.0)
            .map(|(agent, share)| ((agent, self.job(agent, burst)), *share))
            .unzip();
        let next = self.local.descend(params, &shares, &tasks).map_err(unavailable)?;
        Ok(next.iter().all(|p| p.is_finite()).then_some(next))
    }
}

/// A device that failed, as a search says it.
pub(super) fn unavailable(DeviceFailure { reason, hint }: DeviceFailure) -> Unavailable {
    Unavailable { reason, hint }
}
