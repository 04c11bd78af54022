//! Several steps compared before one is taken.
//!
//! The whole, half and quarter step of the rule and of FedAvg on the same updates, and none at all: everybody
//! evaluates all of them on its training rows, and the one that the rule's own objective likes best is taken. So
//! the objective never falls, and no round is worse by it than FedAvg's step (ledger E49).

use corefed_rules::fold;
use rayon::prelude::*;

use crate::engine::Comparison;
use crate::standing::on_training_rows;
use crate::{DeviceFailure, Engine, Evaluation, Federated};

/// Parts of a step that are tried, in this order.
const PARTS: [f64; 3] = [1.0, 0.5, 0.25];

/// Names of directions in records: the rule's own, FedAvg's, and none.
const NAMES: [&str; 2] = ["rule", "fedavg"];
const STAY: &str = "stay";

/// The step that won.
pub(crate) struct Chosen<T> {
    /// Which direction, in the order in which they were given; `None`: none at all.
    pub(crate) direction: Option<usize>,
    /// How much of it.
    pub(crate) part: f64,
    pub(crate) params: Vec<T>,
    /// What it is worth to everybody.
    pub(crate) evaluated: Vec<Evaluation>,
}

impl<T> Chosen<T> {
    /// The direction's name in a record.
    pub(crate) fn name(&self) -> &'static str {
        self.direction.map_or(STAY, |place| NAMES[place])
    }
}

impl<F: Federated> Engine<'_, F> {
    /// The best of all parts of some steps from `params`, which is worth `received` to everybody. Of equals
    /// the first wins; a step that leads to what is not a number never does.
    pub(crate) fn search(
        &self,
        comparison: &Comparison,
        params: &[F::Scalar],
        received: Vec<Evaluation>,
        steps: &[(&[F::Scalar], f64)],
    ) -> Result<Chosen<F::Scalar>, DeviceFailure> {
        let tried: Vec<(usize, f64)> =
            (0..steps.len()).flat_map(|place| PARTS.map(|part| (place, part))).collect();
        let model = |&(place, part): &(usize, f64)| {
            let (direction, length) = steps[place];
            let mut params = params.to_vec();
            // As a server without momentum moves.
            fold(&mut params, part * length, direction);
            self.project(&mut params);
            params
        };
        let models: Vec<Vec<F::Scalar>> = tried.par_iter().map(model).collect();
        let everybody: Vec<usize> = (0..self.federation.agents()).collect();
        let evaluate = |params: &Vec<F::Scalar>| {
            on_training_rows(self.federation, &self.federation.prepare(params), &everybody)
        };
        // A device takes one model after another, and threads that wait for it could do no other work.
        let found: Result<Vec<Vec<Evaluation>>, DeviceFailure> =
            if self.federation.together().is_some() {
                models.iter().map(evaluate).collect()
            } else {
                models.par_iter().map(evaluate).collect()
            };
        let stay =
            Chosen { direction: None, part: 0.0, params: params.to_vec(), evaluated: received };
        let candidates = tried.into_iter().zip(models).zip(found?);
        let candidates = candidates.map(|(((place, part), params), evaluated)| Chosen {
            direction: Some(place),
            part,
            params,
            evaluated,
        });
        let worth = |chosen: &Chosen<F::Scalar>| {
            let losses: Vec<f64> = chosen.evaluated.iter().map(|e| e.loss).collect();
            comparison.objective.worth(&losses)
        };
        let mut best: Option<(f64, Chosen<F::Scalar>)> = None;
        for candidate in candidates {
            let value = worth(&candidate);
            if value > best.as_ref().map_or(f64::NEG_INFINITY, |(value, _)| *value) {
                best = Some((value, candidate));
            }
        }
        let value = worth(&stay);
        Ok(best.filter(|(best, _)| *best >= value).map_or(stay, |(_, candidate)| candidate))
    }
}
