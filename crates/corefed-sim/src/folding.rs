//! Updates of a cohort, folded as they come.

use corefed_rules::{Accepted, Plan, Rejected, Report, Scalar, Server, fold, gram};

use crate::drift::learn_control;
use crate::local_training::Update;
use crate::{DeviceFailure, Drift, Engine, Federated, Job};

/// What a rule makes of a cohort's updates.
pub(crate) struct Folded<'a, T> {
    server: &'a Server,
    plan: &'a Plan,
    pub(crate) direction: Vec<T>,
    pub(crate) accepted: Vec<Accepted>,
    pub(crate) coefficients: Vec<f64>,
}

/// What is said of a cohort's updates, whichever rule looks at them.
pub(crate) struct Cohort {
    pub(crate) rejected: Vec<Rejected>,
    /// Length of every update before clipping, by report; not finite for a bad one.
    pub(crate) norms: Vec<f64>,
}

/// Control variates of all agents, and what they come to in this round.
pub(crate) struct Corrected<'a, T> {
    pub(crate) common: &'a [T],
    pub(crate) controls: &'a mut [Vec<T>],
}

impl<'a, T: Scalar> Folded<'a, T> {
    /// Nothing yet; `direction` is memory that may be reused.
    pub(crate) fn new(
        server: &'a Server,
        plan: &'a Plan,
        mut direction: Vec<T>,
        dim: usize,
    ) -> Self {
        direction.clear();
        direction.resize(dim, T::ZERO);
        Self { server, plan, direction, accepted: Vec::new(), coefficients: Vec::new() }
    }

    /// What all coefficients are multiplied by.
    pub(crate) fn scale(&self, rate: f64) -> f64 {
        self.server.scale(self.plan, &self.accepted, rate)
    }

    /// Takes the updates of some reports; says whose were refused.
    fn take(&mut self, members: &[usize], updates: &[Update<'_, T>]) -> Vec<Rejected> {
        let (first, mut refused) = (self.accepted.len(), Vec::new());
        let mut taken = Vec::with_capacity(members.len());
        for (&index, update) in members.iter().zip(updates) {
            match self.server.accept::<T>(self.plan, index, update.square) {
                Ok(accepted) => {
                    self.accepted.push(accepted);
                    taken.push(update.values);
                }
                Err(rejected) => refused.push(rejected),
            }
        }
        let products = if self.server.needs_gram() { gram(&taken) } else { Vec::new() };
        let coefficients = self.server.gram_coefficients(&self.accepted[first..], &products);
        for (coefficient, update) in coefficients.iter().zip(&taken) {
            fold(&mut self.direction, *coefficient, update);
        }
        self.coefficients.extend(coefficients);
        refused
    }
}

impl<F: Federated> Engine<'_, F> {
    /// Trains group by group and folds what arrives, in the order of agents; `folded` are the rule's own
    /// and whatever else looks at the same updates.
    pub(crate) fn fold_cohort(
        &mut self,
        folded: &mut [Folded<'_, F::Scalar>],
        model: &F::Model,
        reports: &[Report],
        jobs: &[Job<'static, F::Scalar>],
        mut corrected: Option<Corrected<'_, F::Scalar>>,
    ) -> Result<Cohort, DeviceFailure> {
        let (plan, needs_gram) = (folded[0].plan, folded[0].server.needs_gram());
        let mut cohort =
            Cohort { rejected: plan.rejected().collect(), norms: vec![f64::NAN; reports.len()] };
        let wanted: Vec<usize> =
            (0..reports.len()).filter(|&k| plan.verdicts()[k].is_ok()).collect();
        // A rule that compares all updates must have them all.
        let group = if needs_gram { wanted.len().max(1) } else { self.local.group() };
        for members in wanted.chunks(group) {
            let task = |&index: &usize| {
                let agent = reports[index].agent;
                let drift = corrected
                    .as_ref()
                    .map(|all| Drift { common: all.common, own: &all.controls[agent] });
                (agent, Job { drift, ..jobs[index] })
            };
            let tasks: Vec<(usize, Job<'_, F::Scalar>)> = members.iter().map(task).collect();
            let updates: Vec<Update<'_, F::Scalar>> = self.local.train(model, &tasks)?.collect();
            drop(tasks);
            for (&index, update) in members.iter().zip(&updates) {
                cohort.norms[index] = update.square.sqrt();
            }
            for (place, folded) in folded.iter_mut().enumerate() {
                let refused = folded.take(members, &updates);
                if place == 0 {
                    cohort.rejected.extend(refused);
                }
            }
            if let Some(Corrected { common, controls }) = &mut corrected {
                for (&index, update) in members.iter().zip(&updates) {
                    let agent = reports[index].agent;
                    if !cohort.rejected.iter().any(|refused| refused.agent == agent) {
                        let walk = jobs[index].walk();
                        learn_control(walk, update.values, common, &mut controls[agent]);
                    }
                }
            }
        }
        Ok(cohort)
    }
}
