//! One round: cohort, losses before training, updates, step, record.

use corefed_log::{AgentRecord, Part as Attended, Rejection, RoundRecord};
use corefed_model::ConvexLosses;
use corefed_rules::{Interventions, Rejected, Scalar, norm_sqr};
use corefed_solve::Ball;

use crate::cohort::{Fate, draw_cohort};
use crate::engine::Method;
use crate::standing::{Standing, distance};
use crate::{Engine, Federated, FlooredWelfare, Outcome, State, TrainError, newton_round};

impl<F: Federated> Engine<'_, F> {
    /// Takes the state one round further. On an error the state holds the last good model.
    pub fn round(&mut self, state: &mut State<F::Scalar>) -> Result<Outcome, TrainError> {
        let round = state.round + 1;
        let participation = &self.train.participation;
        let cohort = draw_cohort(participation, &self.fixed, &self.sizes, round, self.seed);
        let mut record = RoundRecord { round, cohort: cohort.len(), ..RoundRecord::default() };
        let mut lines: Vec<AgentRecord> =
            cohort.iter().map(|member| self.blank(round, member.agent)).collect();
        for (line, member) in lines.iter_mut().zip(&cohort) {
            line.part = match member.fate {
                Fate::Complete => Attended::Trained,
                Fate::Straggler => Attended::Straggler,
                Fate::Dropped => Attended::Dropped,
            };
        }
        match self.method {
            Method::Combine(_) => self.combine(state, &cohort, &mut record, &mut lines)?,
            Method::Newton(hessians) => self.newton(hessians, state, &mut record, &mut lines),
        }
        if !norm_sqr(&state.params).is_finite() {
            state.params.clone_from(&state.previous);
            return Err(TrainError::Overflow { round, kept: state.round });
        }
        self.close(state, record, lines, &cohort.iter().map(|m| m.agent).collect::<Vec<_>>())
    }

    /// Newton's exchange: everybody sends loss, gradient and Hessian.
    fn newton(
        &self,
        hessians: &dyn ConvexLosses,
        state: &mut State<F::Scalar>,
        record: &mut RoundRecord,
        lines: &mut [AgentRecord],
    ) {
        let params: Vec<f64> = state.params.iter().map(|p| p.to_f64()).collect();
        let welfare = FlooredWelfare {
            weights: self.terms.weights.clone(),
            ceilings: self.terms.ceilings.clone(),
            floor: self.train.safety.floor,
        };
        let ball = Ball::about_zero(params.len(), self.terms.radius);
        let (next, exchange) = newton_round(hessians, &welfare, &ball, &params, &mut state.newton);
        for (line, loss) in lines.iter_mut().zip(&exchange.losses) {
            line.reported_loss = Some(*loss);
        }
        for (line, slope) in lines.iter_mut().zip(&exchange.slopes) {
            line.weight = Some(slope / exchange.slopes.iter().sum::<f64>());
        }
        let names = &self.terms.names;
        record.floored = exchange.floored.iter().map(|&agent| names[agent].clone()).collect();
        record.trained = lines.len();
        state.previous.clone_from(&state.params);
        state.params = next.into_iter().map(F::Scalar::from_f64).collect();
        state.evaluated = None;
        self.project(&mut state.params);
    }

    /// Brings parameters back into the ball, if the training asks for it.
    pub(crate) fn project(&self, params: &mut [F::Scalar]) {
        let norm = norm_sqr(params).sqrt();
        if self.train.project && norm > self.terms.radius && norm.is_finite() {
            // Inside by as much as rounding may take them out again.
            let rounding = if F::Scalar::NAME == f32::NAME { 1.2e-7 } else { 4.0 * f64::EPSILON };
            let shrink = self.terms.radius / norm * (1.0 - rounding);
            for param in params {
                *param = F::Scalar::from_f64(param.to_f64() * shrink);
            }
        }
    }

    /// Evaluates if it is time to, and completes the records.
    fn close(
        &self,
        state: &mut State<F::Scalar>,
        mut record: RoundRecord,
        mut lines: Vec<AgentRecord>,
        cohort: &[usize],
    ) -> Result<Outcome, TrainError> {
        let round = record.round;
        record.step_norm.get_or_insert_with(|| distance(&state.params, &state.previous));
        if self.train.record.evaluates(round, self.train.rounds) {
            let known = state.evaluated.take();
            let standing = match Standing::of(self.federation, self.terms, &state.params, known) {
                Ok(standing) => standing,
                Err(failure) => {
                    state.params.clone_from(&state.previous);
                    return Err(TrainError::device(round, failure, state.round));
                }
            };
            let loss = standing.mean_loss(&self.terms.average);
            if self.has_exploded(state, loss) {
                state.params.clone_from(&state.previous);
                let losses = standing.losses.iter().copied().enumerate();
                return Err(self.explosion(round, loss, losses, state.round));
            }
            let mut everybody: Vec<AgentRecord> =
                (0..self.sizes.len()).map(|agent| self.blank(round, agent)).collect();
            for (&agent, line) in cohort.iter().zip(&mut lines) {
                everybody[agent] = std::mem::take(line);
            }
            lines = everybody;
            self.describe(state, standing, &mut record, &mut lines);
        }
        state.round = round;
        let certified = self.is_certified(&record);
        Ok(Outcome { round: record, agents: lines, certified })
    }

    /// Whether a round reached the certificate that ends the training.
    #[must_use]
    pub fn is_certified(&self, record: &RoundRecord) -> bool {
        let slack = self.train.stop.certificate;
        slack.is_some_and(|slack| record.bound.is_some_and(|bound| bound <= 1.0 + slack))
    }

    /// Whether a mean loss is beyond all measure.
    pub(crate) fn has_exploded(&self, state: &State<F::Scalar>, loss: f64) -> bool {
        let limit = state.first_loss.map(|first| self.train.stop.loss_factor * first.max(1e-6));
        loss.is_nan() || limit.is_some_and(|limit| loss > limit)
    }

    pub(crate) fn explosion(
        &self,
        round: usize,
        loss: f64,
        losses: impl Iterator<Item = (usize, f64)>,
        kept: usize,
    ) -> TrainError {
        // In the total order a positive NaN is above every number, and a negative one is as bad.
        let largest = losses.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        let agent = largest.map_or_else(String::new, |(agent, _)| self.terms.names[agent].clone());
        TrainError::Exploded { round, loss, agent, factor: self.train.stop.loss_factor, kept }
    }

    /// Writes down where a safeguard acted.
    pub(crate) fn note(&self, acts: &Interventions, record: &mut RoundRecord) {
        let names = |agents: &[usize]| -> Vec<String> {
            agents.iter().map(|&agent| self.terms.names[agent].clone()).collect()
        };
        record.warm_up = acts.warm_up;
        record.floored = names(&acts.floored);
        record.capped = names(&acts.capped);
        record.clipped = names(&acts.clipped);
        let raised = acts.raised.iter();
        record.raised =
            raised.map(|&(agent, ceiling)| (self.terms.names[agent].clone(), ceiling)).collect();
    }

    /// Who was refused, by name.
    pub(crate) fn refusals(&self, rejected: &[Rejected]) -> Vec<Rejection> {
        let refusal = |refused: &Rejected| Rejection {
            agent: self.terms.names[refused.agent].clone(),
            reason: refused.reason.to_string(),
        };
        rejected.iter().map(refusal).collect()
    }
}
