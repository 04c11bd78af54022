//! How agents stand with a model: what a round's record says about it.

use corefed_core::linalg::{dot, norm_l2};
use corefed_core::{Weights, frank_wolfe_bound, frank_wolfe_gap, headroom, log_welfare};
use corefed_log::{AgentRecord, RoundRecord, Spread};
use corefed_rules::Scalar;

use crate::{Candidates, DeviceFailure, Evaluation, Federated, Part, Terms, equity_gap};

/// Everybody's losses at one model, however they came to be known.
#[derive(Clone, Debug)]
pub struct Standing {
    pub(crate) losses: Vec<f64>,
    pub(crate) utilities: Vec<f64>,
    pub(crate) train: Vec<Evaluation>,
    held_out: Vec<Option<Evaluation>>,
    /// On rows to choose by, by agent; empty where nobody was asked.
    pub(crate) validation: Vec<Option<Evaluation>>,
    test: Option<Evaluation>,
    bound: Option<f64>,
}

impl Standing {
    /// What agents measured themselves, in order: everybody on its training rows, some on rows held
    /// out.
    #[must_use]
    pub fn measured(
        terms: &Terms,
        train: Vec<Evaluation>,
        held_out: Vec<Option<Evaluation>>,
    ) -> Self {
        let losses: Vec<f64> = train.iter().map(|evaluation| evaluation.loss).collect();
        let utilities = corefed_core::utilities(&terms.ceilings, &losses);
        let validation = Vec::new();
        Self { losses, utilities, train, held_out, validation, test: None, bound: None }
    }

    /// Evaluates a model at every agent, and certifies it where one gradient can. What it is worth on
    /// training rows may be known already.
    pub(crate) fn of<F: Federated>(
        federation: &F,
        terms: &Terms,
        params: &[F::Scalar],
        known: Option<Vec<Evaluation>>,
    ) -> Result<Self, DeviceFailure> {
        let everybody: Vec<usize> = (0..federation.agents()).collect();
        let model = federation.prepare(params);
        let train = match known {
            Some(train) => train,
            None => on_training_rows(federation, &model, &everybody)?,
        };
        let held_out = federation.evaluate(&model, Part::HeldOut, &everybody)?;
        let validation = federation.evaluate(&model, Part::Validation, &everybody)?;
        let measured = Self::measured(terms, train, held_out);
        let bound = first_order_bound(federation, terms, &model, params, &measured.utilities);
        Ok(Self { test: federation.test(&model)?, bound, validation, ..measured })
    }

    /// `M_i - L_i`, by agent.
    #[must_use]
    pub fn utilities(&self) -> &[f64] {
        &self.utilities
    }

    /// Mean loss by weight.
    pub(crate) fn mean_loss(&self, weights: &Weights) -> f64 {
        dot(&self.losses, weights.values()) / weights.total()
    }

    /// Fills in everything a round's record says about the model.
    pub fn describe(
        &self,
        terms: &Terms,
        samples: &[usize],
        candidates: &Candidates,
        record: &mut RoundRecord,
    ) {
        let Terms { names, weights, average, ceilings, .. } = terms;
        record.loss = Some(self.mean_loss(average));
        record.accuracy = mean(self.train.iter().map(|e| e.accuracy), average.values());
        record.log_welfare = Some(log_welfare(&self.utilities, weights));
        if let Some(found) = candidates.tempt(&self.utilities, weights) {
            record.kappa = Some(found.kappa);
            record.kappa_round = Some(found.round);
            record.coalition = found.coalition.iter().map(|&k| names[k].clone()).collect();
            record.everybody = Some(found.everybody);
        }
        let room = terms.nonnegative.map(|_| headroom(&self.utilities, ceilings, weights));
        record.headroom = room.as_ref().map(|room| room.kappa.value());
        record.headroom_everybody = room.as_ref().map(|room| room.everybody.value());
        record.bound = self.bound;
        let worst =
            (0..names.len()).min_by(|&a, &b| self.utilities[a].total_cmp(&self.utilities[b]));
        record.worst_agent = worst.map(|k| names[k].clone());
        record.equity_gap = equity_gap(&self.losses, samples);
        record.utility_spread = Spread::of(&self.utilities);
        record.accuracy_spread = spread(self.train.iter().filter_map(|e| e.accuracy));
        let held_out =
            || self.held_out.iter().zip(ceilings).filter_map(|(e, c)| Some((e.as_ref()?, c)));
        record.held_out_loss_spread = spread(held_out().map(|(e, _)| e.loss));
        record.held_out_accuracy_spread = spread(held_out().filter_map(|(e, _)| e.accuracy));
        record.held_out_utility_spread = spread(held_out().map(|(e, ceiling)| ceiling - e.loss));
        record.test_loss = self.test.map(|e| e.loss);
        record.test_accuracy = self.test.and_then(|e| e.accuracy);
    }

    /// Fills in what an agent's record says about the model.
    pub fn describe_agent(&self, agent: usize, ceiling: f64, record: &mut AgentRecord) {
        record.loss = Some(self.losses[agent]);
        record.utility = Some(self.utilities[agent]);
        record.accuracy = self.train[agent].accuracy;
        record.held_out_loss = self.held_out[agent].map(|e| e.loss);
        record.held_out_utility = self.held_out[agent].map(|e| ceiling - e.loss);
        record.held_out_accuracy = self.held_out[agent].and_then(|e| e.accuracy);
    }
}

/// What a model is worth to some agents on their training rows.
pub(crate) fn on_training_rows<F: Federated>(
    federation: &F,
    model: &F::Model,
    agents: &[usize],
) -> Result<Vec<Evaluation>, DeviceFailure> {
    // Agents own rows: a federation has no others.
    let nothing = Evaluation { loss: f64::NAN, accuracy: None };
    let found = federation.evaluate(model, Part::Train, agents)?;
    Ok(found.into_iter().map(|evaluation| evaluation.unwrap_or(nothing)).collect())
}

/// The Frank-Wolfe bound (ledger E6) where its premise is proven and everybody has something.
fn first_order_bound<F: Federated>(
    federation: &F,
    terms: &Terms,
    model: &F::Model,
    params: &[F::Scalar],
    utilities: &[f64],
) -> Option<f64> {
    if !(terms.premise && utilities.iter().all(|u| *u > 0.0)) {
        return None;
    }
    // In `f64` whatever the parameters are made of: this is what the bound rests on.
    let utilities = corefed_core::utilities(&terms.ceilings, &federation.exact_losses(model)?);
    let coefficients = corefed_core::nash_coefficients(&utilities, &terms.weights);
    let descent = federation.convex_gradient(model, &coefficients)?;
    let ascent: Vec<f64> = descent.iter().map(|g| -g).collect();
    let params: Vec<f64> = params.iter().map(|p| p.to_f64()).collect();
    let gap = frank_wolfe_gap(&ascent, &params, terms.radius);
    Some(frank_wolfe_bound(gap, terms.weights.total()))
}

fn spread(values: impl Iterator<Item = f64>) -> Option<Spread> {
    Spread::of(&values.collect::<Vec<_>>())
}

/// The weighted mean of values that are all there.
fn mean(values: impl Iterator<Item = Option<f64>>, weights: &[f64]) -> Option<f64> {
    let values = values.collect::<Option<Vec<f64>>>()?;
    Some(dot(&values, weights) / weights.iter().sum::<f64>())
}

/// `|a|` in `f64`, whatever the parameters are made of.
pub(crate) fn distance<T: Scalar>(a: &[T], b: &[T]) -> f64 {
    let difference: Vec<f64> = a.iter().zip(b).map(|(a, b)| a.to_f64() - b.to_f64()).collect();
    norm_l2(&difference)
}
