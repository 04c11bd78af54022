//! Rivals of a network, trained by the engine that trained it.

use corefed_data::Seed;
use corefed_evidence::Rivals;
use corefed_rules::{LocalObjective, fold};
use corefed_sim::{Federated, Job, NetworkFederation, Part};
use corefed_spec::Train;
use rayon::prelude::*;

/// A federation that descends whatever mixture of losses it is asked to.
pub(crate) struct NetworkRivals<'a> {
    federation: &'a NetworkFederation,
    names: &'a [String],
    train: &'a Train,
    seed: Seed,
}

impl<'a> NetworkRivals<'a> {
    pub(crate) fn new(
        federation: &'a NetworkFederation,
        names: &'a [String],
        train: &'a Train,
        seed: Seed,
    ) -> Self {
        Self { federation, names, train, seed: seed.derive("rivals") }
    }

    /// One epoch of local work at the settings of the training.
    fn job(&self, agent: usize, burst: usize) -> Job {
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

    fn losses(&mut self, params: &[f32]) -> Vec<f64> {
        let everybody: Vec<usize> = (0..self.federation.agents()).collect();
        let found = self.federation.evaluate(&params.to_vec(), Part::Train, &everybody);
        found.into_iter().map(|evaluation| evaluation.map_or(f64::NAN, |e| e.loss)).collect()
    }

    /// Every agent that counts works for an epoch, and the model moves by the weighted sum.
    fn improve(&mut self, params: &[f32], coefficients: &[f64], burst: usize) -> Option<Vec<f32>> {
        let members: Vec<usize> =
            (0..coefficients.len()).filter(|&agent| coefficients[agent] > 0.0).collect();
        let tasks: Vec<(usize, Job)> =
            members.iter().map(|&agent| (agent, self.job(agent, burst))).collect();
        let mut updates = vec![vec![0.0_f32; params.len()]; members.len()];
        let model = params.to_vec();
        if let Some(most) = self.federation.together() {
            for (tasks, updates) in tasks.chunks(most).zip(updates.chunks_mut(most)) {
                self.federation.train_together(&model, tasks, updates).ok()?;
            }
        } else {
            updates.par_iter_mut().zip(&tasks).for_each(|(update, (agent, job))| {
                let mut workspace = self.federation.workspace();
                self.federation.train(&model, *agent, job, &mut workspace, update);
            });
        }
        let mut next = model;
        for (update, &agent) in updates.iter().zip(&members) {
            fold(&mut next, coefficients[agent], update);
        }
        next.iter().all(|p| p.is_finite()).then_some(next)
    }
}
