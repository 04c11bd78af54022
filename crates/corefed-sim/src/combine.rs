//! The round of every rule that combines updates.
//!
//! Losses at the received model come first, because pulls depend on nothing else. Then agents train in
//! groups, and each group's updates are folded into one direction in the order of agents: a
//! cohort of any size needs the memory of one group.

use corefed_log::{AgentRecord, Part as Attended, RoundRecord};
use corefed_rules::{Report, Scalar, Server};
use corefed_spec::Amount;

use crate::cohort::{Attendance, Fate};
use crate::drift::mix_controls;
use crate::engine::Method;
use crate::folding::{Cohort, Corrected, Folded};
use crate::standing::on_training_rows;
use crate::{DeviceFailure, Engine, Evaluation, Federated, Job, State, TrainError};

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
        let device = |failure| TrainError::device(record.round, failure, state.round);
        let agents: Vec<usize> = present.iter().map(|&k| cohort[k].agent).collect();
        let received = self.received(state, &model, &agents).map_err(device)?;
        let report = |(&agent, found): (&usize, &Evaluation)| Report {
            agent,
            samples: self.sizes[agent],
            loss: found.loss,
        };
        let reports: Vec<Report> = agents.iter().zip(&received).map(report).collect();
        for (&k, report) in present.iter().zip(&reports) {
            lines[k].reported_loss = Some(report.loss);
        }
        self.check_losses(state, record.round, &reports)?;
        let Method::Combine(server) = &self.method else { return Ok(()) };
        let server = server.clone();
        let plan = server.plan(&mut state.server, &reports);
        // FedAvg remembers nothing, so its state is a fresh one.
        let beside = self.search.as_ref().and_then(|search| search.fedavg.clone());
        let beside = beside.map(|fedavg| {
            let plan = fedavg.plan(&mut fedavg.init::<F::Scalar>(), &reports);
            (fedavg, plan)
        });
        let jobs: Vec<Job<'static, F::Scalar>> = present
            .iter()
            .map(|&k| self.job(&state.server.ceilings, cohort[k], record.round, rate))
            .collect();
        let dim = self.federation.dim();
        let mut common = std::mem::take(&mut self.common);
        let corrected = (!state.controls.is_empty()).then(|| {
            common.clear();
            common.resize(dim, F::Scalar::ZERO);
            mix_controls(&plan, |agent| &state.controls[agent], &mut common);
            Corrected { common: &common, controls: &mut state.controls }
        });
        let [own, other] = std::mem::take(&mut self.directions);
        let mut folded = vec![Folded::new(&server, &plan, own, dim)];
        folded.extend(beside.as_ref().map(|(fedavg, plan)| Folded::new(fedavg, plan, other, dim)));
        let found = self.fold_cohort(&mut folded, &model, &reports, &jobs, corrected);
        self.common = common;
        let Cohort { rejected, norms } =
            found.map_err(|failure| TrainError::device(record.round, failure, state.round))?;
        if folded[0].accepted.is_empty() {
            let refused = self.refusals(&rejected);
            let first = refused.into_iter().next();
            let (agent, reason) = first.map_or_else(Default::default, |r| (r.agent, r.reason));
            let (round, kept) = (record.round, state.round);
            return Err(TrainError::NobodyLeft { round, agent, reason, kept });
        }
        let mut acts = plan.interventions().clone();
        let clipped = folded[0].accepted.iter().filter(|a| a.clipped);
        acts.clipped = clipped.map(|a| a.pull.agent).collect();
        self.note(&acts, record);
        record.trained = folded[0].accepted.len();
        record.rejected = rejected.len();
        record.rejections = self.refusals(&rejected);
        for (&k, norm) in present.iter().zip(&norms) {
            lines[k].update_norm = norm.is_finite().then_some(*norm);
            lines[k].weight = Some(0.0);
        }
        for refused in &rejected {
            if let Some(k) = cohort.iter().position(|member| member.agent == refused.agent) {
                lines[k].part = Attended::Rejected;
            }
        }
        for (index, weight) in self.step(&server, state, &folded, received, record)? {
            // Readers of JSON stumble over subnormal numbers, and such a weight is none.
            lines[present[index]].weight = Some(if weight.is_subnormal() { 0.0 } else { weight });
        }
        for (place, folded) in self.directions.iter_mut().zip(folded) {
            *place = folded.direction;
        }
        Ok(())
    }

    /// Moves the model by the rule's step, or by the best of several; the weight of each report in it.
    fn step(
        &self,
        server: &Server,
        state: &mut State<F::Scalar>,
        folded: &[Folded<'_, F::Scalar>],
        received: Vec<Evaluation>,
        record: &mut RoundRecord,
    ) -> Result<Vec<(usize, f64)>, TrainError> {
        let rate = record.learning_rate.unwrap_or_default();
        let taken = self.train.step_part(record.round);
        let scales: Vec<f64> = folded.iter().map(|folded| taken * folded.scale(rate)).collect();
        let (place, part) = if let Some(comparison) = &self.search {
            let step = self.train.server.step;
            let steps: Vec<(&[F::Scalar], f64)> = folded
                .iter()
                .zip(&scales)
                .map(|(folded, scale)| (folded.direction.as_slice(), step * scale))
                .collect();
            let chosen = self
                .search(comparison, &state.params, received, &steps)
                .map_err(|failure| TrainError::device(record.round, failure, state.round))?;
            record.chosen = Some(chosen.step.name().to_owned());
            record.chosen_part = Some(chosen.step.part);
            state.previous = std::mem::replace(&mut state.params, chosen.params);
            state.evaluated = Some(chosen.evaluated);
            (chosen.step.direction.unwrap_or(0), chosen.step.part)
        } else {
            state.previous.clone_from(&state.params);
            state.evaluated = None;
            server.advance(&mut state.server, &mut state.params, &folded[0].direction, scales[0]);
            self.project(&mut state.params);
            (0, 1.0)
        };
        let Folded { accepted, coefficients, .. } = &folded[place];
        let weights = coefficients.iter().map(|coefficient| part * scales[place] * coefficient);
        Ok(accepted.iter().map(|accepted| accepted.index).zip(weights).collect())
    }

    /// What the received model is worth to every present agent.
    fn received(
        &self,
        state: &State<F::Scalar>,
        model: &F::Model,
        agents: &[usize],
    ) -> Result<Vec<Evaluation>, DeviceFailure> {
        match &state.evaluated {
            Some(known) => Ok(agents.iter().map(|&agent| known[agent]).collect()),
            None => on_training_rows(self.federation, model, agents),
        }
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

    fn job(
        &self,
        ceilings: &[f64],
        member: Attendance,
        round: usize,
        learning_rate: f64,
    ) -> Job<'static, F::Scalar> {
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
            drift: None,
        }
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
