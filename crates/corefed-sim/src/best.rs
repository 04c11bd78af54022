//! The round whose model is worth keeping, by rows that nobody trains on or reports.

use corefed_core::Weights;
use corefed_spec::{Keep, Train};

use crate::standing::Standing;
use crate::{Best, Engine, Federated, FlooredWelfare, Part, State};

/// Whether a run keeps its best model and not its last.
pub fn keeps_best<F: Federated>(train: &Train, federation: &F) -> bool {
    let rows = |agent| federation.samples(Part::Validation, agent) > 0;
    train.keep != Keep::Last && (0..federation.agents()).any(rows)
}

impl<F: Federated> Engine<'_, F> {
    /// Whether the rounds since the best one have worn out the patience of the training.
    #[must_use]
    pub fn is_stale(&self, state: &State<F::Scalar>) -> bool {
        let waited = state.best.as_ref().map(|best| state.round - best.round);
        let patience = self.train.stop.patience;
        patience.zip(waited).is_some_and(|(patience, waited)| waited >= patience.get())
    }

    /// Floored log-welfare of the agents that have rows to choose by, on those rows; none without such rows.
    pub(crate) fn chosen_by(&self, standing: &Standing) -> Option<f64> {
        let measured = standing.validation.iter().enumerate();
        let own: Vec<(usize, f64)> =
            measured.filter_map(|(k, e)| Some((k, e.as_ref()?.loss))).collect();
        if own.is_empty() {
            return None;
        }
        let weights = own.iter().map(|(k, _)| self.terms.weights.values()[*k]).collect();
        let welfare = FlooredWelfare {
            weights: Weights::new(weights).ok()?,
            ceilings: own.iter().map(|(k, _)| self.terms.ceilings[*k]).collect(),
            floor: self.train.safety.floor,
        };
        let losses: Vec<f64> = own.into_iter().map(|(_, loss)| loss).collect();
        Some(welfare.value(&losses))
    }

    /// Remembers the model if it is better than all before; of equals the first stays.
    pub(crate) fn remember_best(&self, state: &mut State<F::Scalar>, round: usize, value: f64) {
        let better = state.best.as_ref().is_none_or(|best| value > best.value);
        let wanted = keeps_best(self.train, self.federation) || self.train.stop.patience.is_some();
        if wanted && better && !value.is_nan() {
            state.best = Some(Best { round, value, params: state.params.clone() });
        }
    }
}
