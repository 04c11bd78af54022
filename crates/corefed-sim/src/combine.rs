//! The round of every rule that combines updates.
//!
//! Losses at the received model come first, because pulls depend on nothing else. Then agents train in
//! groups, and each group's updates are folded into one direction in the order of agents: a
//! cohort of any size needs the memory of one group.

use corefed_log::{AgentRecord, Part as Attended, RoundRecord};
use corefed_rules::{Accepted, Plan, Rejected, Report, Scalar, Server, fold, gram};
use corefed_spec::Amount;

use crate::engine::Method;
use crate::local_training::Update;
use crate::{Attendance, DeviceFailure, Engine, Fate, Federated, Job, Part, State, TrainError};

/// A cohort's updates, folded.
struct Folded<T> {
    direction: Vec<T>,
    accepted: Vec<Accepted>,
    coefficients: Vec<f64>,
    rejected: Vec<Rejected>,
    /// Length of every update before clipping, by report; not finite for a bad one.
    norms: Vec<f64>,
}

impl<F: Federated> Engine<'_, F> {
    /// Trains the cohort and moves the model.
    pub(crate) fn combine(
        &mut self,
        state: &mut State<F::Scalar>,
        cohort: &[Attendance],
        record: &mut RoundRecord,
        lines: &mut [AgentRecord],
    ) -> Result<(), TrainError> {
        let rate = self.train.local.rate(record.round, self.train.rounds.get());
        record.learning_rate = Some(rate);
        record.dropped = cohort.iter().filter(|m| m.fate == Fate::Dropped).count();
        record.stragglers = cohort.iter().filter(|m| m.fate == Fate::Straggler).count();
        let model = self.federation.prepare(&state.params);
        let present: Vec<usize> =
            (0..cohort.len()).filter(|&k| cohort[k].fate != Fate::Dropped).collect();
        if present.is_empty() {
            // Nobody answers: the model stays as it is, and so does the last one known to be good.
            record.step_norm = Some(0.0);
            return Ok(());
        }
        let reports = self
            .reports(state, &model, cohort, &present)
            .map_err(|failure| TrainError::device(record.round, failure, state.round))?;
        for (&k, report) in present.iter().zip(&reports) {
            lines[k].reported_loss = Some(report.loss);
        }
        self.check_losses(state, record.round, &reports)?;
        let Method::Combine(server) = &self.method else { return Ok(()) };
        let server = server.clone();
        let plan = server.plan(&mut state.server, &reports);
        let jobs: Vec<Job> = present
            .iter()
            .map(|&k| self.job(&state.server.ceilings, cohort[k], record.round, rate))
            .collect();
        let folded = self.fold_cohort(&server, &plan, &model, &reports, &jobs);
        let mut folded =
            folded.map_err(|failure| TrainError::device(record.round, failure, state.round))?;
        if folded.accepted.is_empty() {
            let refused = self.refusals(&folded.rejected);
            let first = refused.into_iter().next();
            let (agent, reason) = first.map_or_else(Default::default, |r| (r.agent, r.reason));
            let (round, kept) = (record.round, state.round);
            return Err(TrainError::NobodyLeft { round, agent, reason, kept });
        }
        let scale = server.scale(&plan, &folded.accepted, rate);
        let mut acts = plan.interventions().clone();
        acts.clipped = folded.accepted.iter().filter(|a| a.clipped).map(|a| a.pull.agent).collect();
        self.note(&acts, record);
        record.trained = folded.accepted.len();
        record.rejected = folded.rejected.len();
        record.rejections = self.refusals(&folded.rejected);
        for (&k, norm) in present.iter().zip(&folded.norms) {
            lines[k].update_norm = norm.is_finite().then_some(*norm);
            lines[k].weight = Some(0.0);
        }
        for refused in &folded.rejected {
            if let Some(k) = cohort.iter().position(|member| member.agent == refused.agent) {
                lines[k].part = Attended::Rejected;
            }
        }
        for (accepted, coefficient) in folded.accepted.iter().zip(&folded.coefficients) {
            let weight = scale * coefficient;
            // Readers of JSON stumble over subnormal numbers, and such a weight is none.
            lines[present[accepted.index]].weight =
                Some(if weight.is_subnormal() { 0.0 } else { weight });
        }
        state.previous.clone_from(&state.params);
        server.advance(&mut state.server, &mut state.params, &folded.direction, scale);
        self.direction = std::mem::take(&mut folded.direction);
        Ok(())
    }

    /// Every present agent's loss at the received model.
    fn reports(
        &self,
        state: &State<F::Scalar>,
        model: &F::Model,
        cohort: &[Attendance],
        present: &[usize],
    ) -> Result<Vec<Report>, DeviceFailure> {
        let agents: Vec<usize> = present.iter().map(|&k| cohort[k].agent).collect();
        let losses: Vec<f64> = if let Some(losses) = &state.losses {
            agents.iter().map(|&agent| losses[agent]).collect()
        } else {
            let found = self.federation.evaluate(model, Part::Train, &agents)?;
            found.into_iter().map(|e| e.map_or(f64::NAN, |e| e.loss)).collect()
        };
        let report =
            |(&agent, loss): (&usize, f64)| Report { agent, samples: self.sizes[agent], loss };
        Ok(agents.iter().zip(losses).map(report).collect())
    }

    /// Stops when the received model is already beyond repair.
    fn check_losses(
        &self,
        state: &mut State<F::Scalar>,
        round: usize,
        reports: &[Report],
    ) -> Result<(), TrainError> {
        let sum: f64 = reports.iter().map(|report| report.loss).sum();
        let mean = sum / reports.len() as f64;
        if self.has_exploded(state, mean) {
            state.params.clone_from(&state.previous);
            let losses = reports.iter().map(|report| (report.agent, report.loss));
            return Err(self.explosion(round, mean, losses, state.round.saturating_sub(1)));
        }
        state.first_loss.get_or_insert(mean);
        Ok(())
    }

    fn job(&self, ceilings: &[f64], member: Attendance, round: usize, learning_rate: f64) -> Job {
        let local = &self.train.local;
        let rows = self.sizes[member.agent];
        let batch = local.batch.map_or(rows, |batch| batch.get().min(rows)).max(1);
        let whole = match local.amount {
            Amount::Epochs(epochs) => epochs.get() * rows.div_ceil(batch),
            Amount::Steps(steps) => steps,
        };
        let steps = match member.fate {
            Fate::Straggler => part_of(whole, self.train.participation.straggler_work),
            _ => whole,
        };
        let ceiling = ceilings[member.agent];
        let seed = self.seed.derive("local").derive_index(round as u64);
        Job {
            steps,
            batch,
            learning_rate,
            momentum: local.momentum,
            weight_decay: local.weight_decay,
            seed: seed.derive_index(member.agent as u64),
            objective: self.train.rule.local_objective(&self.train.safety, ceiling),
        }
    }

    /// Trains group by group and folds what arrives, in the order of agents.
    fn fold_cohort(
        &mut self,
        server: &Server,
        plan: &Plan,
        model: &F::Model,
        reports: &[Report],
        jobs: &[Job],
    ) -> Result<Folded<F::Scalar>, DeviceFailure> {
        let mut direction = std::mem::take(&mut self.direction);
        direction.clear();
        direction.resize(self.federation.dim(), F::Scalar::ZERO);
        let mut folded = Folded {
            direction,
            accepted: Vec::with_capacity(reports.len()),
            coefficients: Vec::with_capacity(reports.len()),
            rejected: plan.rejected().collect(),
            norms: vec![f64::NAN; reports.len()],
        };
        let wanted: Vec<usize> =
            (0..reports.len()).filter(|&k| plan.verdicts()[k].is_ok()).collect();
        // A rule that compares all updates must have them all.
        let group = if server.needs_gram() { wanted.len().max(1) } else { self.local.group() };
        for members in wanted.chunks(group) {
            let task = |&index: &usize| (reports[index].agent, jobs[index]);
            let tasks: Vec<(usize, Job)> = members.iter().map(task).collect();
            let updates = self.local.train(model, &tasks)?;
            let first = folded.accepted.len();
            let mut taken = Vec::with_capacity(members.len());
            for (&index, Update { values, square }) in members.iter().zip(updates) {
                folded.norms[index] = square.sqrt();
                match server.accept::<F::Scalar>(plan, index, square) {
                    Ok(accepted) => {
                        folded.accepted.push(accepted);
                        taken.push(values);
                    }
                    Err(refused) => folded.rejected.push(refused),
                }
            }
            let products = if server.needs_gram() { gram(&taken) } else { Vec::new() };
            let coefficients = server.gram_coefficients(&folded.accepted[first..], &products);
            for (coefficient, update) in coefficients.iter().zip(&taken) {
                fold(&mut folded.direction, *coefficient, update);
            }
            folded.coefficients.extend(coefficients);
        }
        Ok(folded)
    }
}

/// A part of some steps, rounded up.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a part of a count lies between zero and the count"
)]
fn part_of(steps: usize, part: f64) -> usize {
    (steps as f64 * part).ceil() as usize
}
