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

/// One of the steps that are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// Along which direction: 0 is the rule's own, 1 FedAvg's; `None`: along none at all.
    pub direction: Option<usize>,
    /// How much of it.
    pub part: f64,
}

impl Tried {
    /// The steps that are compared along this many directions, in the order in which they win where they are
    /// equals; none at all is the last.
    #[must_use]
    pub fn all(directions: usize) -> Vec<Self> {
        let along = |place| PARTS.map(|part| Self { direction: Some(place), part });
        let mut all: Vec<Self> = (0..directions).flat_map(along).collect();
        all.push(Self { direction: None, part: 0.0 });
        all
    }

    /// The direction's name in a record.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.direction.map_or("stay", |place| ["rule", "fedavg"][place])
    }
}

/// The step that won.
pub(crate) struct Chosen<T> {
    pub(crate) step: Tried,
    pub(crate) params: Vec<T>,
    /// What it is worth to everybody.
    pub(crate) evaluated: Vec<Evaluation>,
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
        let tried = Tried::all(steps.len());
        let model = |step: &Tried| {
            let mut params = params.to_vec();
            if let Some(place) = step.direction {
                let (direction, length) = steps[place];
                // As a server without momentum moves.
                fold(&mut params, step.part * length, direction);
                self.project(&mut params);
            }
            params
        };
        let mut models: Vec<Vec<F::Scalar>> = tried.par_iter().map(model).collect();
        let everybody: Vec<usize> = (0..self.federation.agents()).collect();
        let evaluate = |params: &Vec<F::Scalar>| {
            on_training_rows(self.federation, &self.federation.prepare(params), &everybody)
        };
        // What the last is worth is known. A device takes one model after another, and threads that wait for
        // it could do no other work.
        let moved = &models[..tried.len() - 1];
        let found: Result<Vec<Vec<Evaluation>>, DeviceFailure> =
            if self.federation.together().is_some() {
                moved.iter().map(evaluate).collect()
            } else {
                moved.par_iter().map(evaluate).collect()
            };
        let mut found = found?;
        found.push(received);
        let losses = |evaluated: &Vec<Evaluation>| evaluated.iter().map(|e| e.loss).collect();
        let best = comparison.objective.choose(&found.iter().map(losses).collect::<Vec<_>>());
        let (params, evaluated) = (models.swap_remove(best), found.swap_remove(best));
        Ok(Chosen { step: tried[best], params, evaluated })
    }
}
