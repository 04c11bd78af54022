//! Local work of agents side by side: together on the federation's device, or one agent per thread.

use std::sync::{Mutex, PoisonError};

use corefed_rules::{Scalar, fold, norm_sqr};
use rayon::prelude::*;

use crate::{DeviceFailure, Federated, Job};

/// Agents that train at a time; fixed, so that neither memory nor bits depend on the number of
/// threads.
const GROUP: usize = 32;

/// Trains agents of a federation, with memory that is reused from group to group.
pub struct LocalTraining<'a, F: Federated> {
    federation: &'a F,
    /// Updates of one group of agents.
    slots: Vec<Vec<F::Scalar>>,
    /// Scratch memory that no thread is using.
    workspaces: Mutex<Vec<F::Workspace>>,
}

/// What one agent's training changed.
pub(crate) struct Update<'a, T> {
    pub(crate) values: &'a [T],
    /// Squared length.
    pub(crate) square: f64,
}

impl<'a, F: Federated> LocalTraining<'a, F> {
    /// Nothing is allocated before the first training.
    #[must_use]
    pub fn new(federation: &'a F) -> Self {
        Self { federation, slots: Vec::new(), workspaces: Mutex::default() }
    }

    /// How many agents to train at a time where no update is needed longer.
    pub(crate) fn group(&self) -> usize {
        self.federation.together().unwrap_or(GROUP)
    }

    /// Trains agents, each from the received model; updates in the order of tasks.
    pub(crate) fn train(
        &mut self,
        model: &F::Model,
        tasks: &[(usize, Job<'_, F::Scalar>)],
    ) -> Result<impl Iterator<Item = Update<'_, F::Scalar>>, DeviceFailure> {
        let dim = self.federation.dim();
        while self.slots.len() < tasks.len() {
            self.slots.push(vec![F::Scalar::ZERO; dim]);
        }
        let slots = &mut self.slots[..tasks.len()];
        let (federation, pool) = (self.federation, &self.workspaces);
        let squares: Vec<f64> = if let Some(most) = federation.together() {
            for (tasks, slots) in tasks.chunks(most).zip(slots.chunks_mut(most)) {
                federation.train_together(model, tasks, slots)?;
            }
            slots.par_iter().map(|slot| norm_sqr(slot)).collect()
        } else {
            let train = |(slot, (agent, job)): (&mut Vec<F::Scalar>, &(usize, Job<'_, _>))| {
                // A poisoned lock only means that another agent's training panicked.
                let take = || pool.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let mut workspace = take().unwrap_or_else(|| federation.workspace());
                federation.train(model, *agent, job, &mut workspace, slot);
                pool.lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
                norm_sqr(slot)
            };
            slots.par_iter_mut().zip(tasks).map(train).collect()
        };
        let updates = self.slots.iter().zip(squares);
        Ok(updates.map(|(values, square)| Update { values, square }))
    }

    /// The model that moves by `sum_k c_k D_k`, where `D_k` is what the training of task `k` changed;
    /// summed in the order of tasks.
    pub fn descend(
        &mut self,
        params: &[F::Scalar],
        coefficients: &[f64],
        tasks: &[(usize, Job<'_, F::Scalar>)],
    ) -> Result<Vec<F::Scalar>, DeviceFailure> {
        let model = self.federation.prepare(params);
        let (mut next, group) = (params.to_vec(), self.group());
        for (coefficients, tasks) in coefficients.chunks(group).zip(tasks.chunks(group)) {
            for (coefficient, update) in coefficients.iter().zip(self.train(&model, tasks)?) {
                fold(&mut next, *coefficient, update.values);
            }
        }
        Ok(next)
    }
}
