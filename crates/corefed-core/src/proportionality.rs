//! Proportionality: nobody gets less than its share of the best it could have.

use crate::{Weights, gain};

/// `(w_i / W) best_i / u_i` for every agent (ledger E12): proportional iff none exceeds one.
///
/// `best` holds each agent's largest utility over all predictors. An agent with a
/// non-positive utility has an infinite factor as soon as it could have more.
///
/// ```
/// use corefed_core::{Weights, proportionality};
/// // Each agent could have 1 and is entitled to a half.
/// let factors = proportionality(&[0.25, 0.75], &[1.0, 1.0], &Weights::equal(2));
/// assert_eq!(factors, [2.0, 2.0 / 3.0]);
/// ```
#[must_use]
pub fn proportionality(utilities: &[f64], best: &[f64], weights: &Weights) -> Vec<f64> {
    let share = |w: &f64| w / weights.total();
    let pairs = utilities.iter().zip(best).zip(weights.values());
    pairs.map(|((now, best), w)| gain(*now, *best) * share(w)).collect()
}
