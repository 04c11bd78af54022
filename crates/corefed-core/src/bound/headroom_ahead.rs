//! Headroom of core predictors under all larger ceilings at once.

use crate::{Weights, scan};

/// What is known of agents' losses: under one predictor, and at least under any.
#[derive(Clone, Copy, Debug)]
pub struct KnownLosses<'a> {
    /// Under any one predictor of the ball.
    pub at: &'a [f64],
    /// No predictor of the ball gives an agent less; zero is right where losses are never negative.
    pub least: &'a [f64],
}

/// An upper bound of the headroom of the core predictor under ceilings `F' r_i`, for every `F' >= factor` (ledger
/// E64); infinite where the known predictor does not leave everybody something.
#[must_use]
pub fn headroom_ahead(
    losses: KnownLosses<'_>,
    references: &[f64],
    weights: &Weights,
    factor: f64,
) -> f64 {
    let ceilings: Vec<f64> = references.iter().map(|r| factor * r).collect();
    if losses.at.iter().zip(&ceilings).any(|(loss, ceiling)| loss >= ceiling) {
        return f64::INFINITY;
    }
    let say = weights.values();
    // The share of its best utility that the known predictor keeps from an agent.
    let short = |i: usize| (losses.at[i] - losses.least[i]) / (ceilings[i] - losses.least[i]);
    let given: f64 = (0..say.len()).map(|i| say[i] * short(i)).sum();
    let share = |j: usize| {
        let others = (given - say[j] * short(j)) / say[j];
        (1.0 - losses.at[j] / ceilings[j]) / (1.0 + others)
    };
    let least: Vec<f64> = (0..say.len()).map(share).collect();
    scan(&least, &vec![1.0; say.len()], say, &weights.total()).kappa.value()
}

/// A scale from which on no proper coalition could leave the core predictor whatever it did: the smallest, up to
/// one part in a thousand, that [`headroom_ahead`] proves.
#[must_use]
pub fn empty_from(losses: KnownLosses<'_>, references: &[f64], weights: &Weights) -> Option<f64> {
    let empty = |factor: f64| headroom_ahead(losses, references, weights, factor) <= 1.0;
    let ratio = losses.at.iter().zip(references).map(|(l, r)| l / r).fold(0.0, f64::max);
    if !(ratio > 0.0 && ratio.is_finite()) {
        return None;
    }
    let (mut lo, mut hi) = (ratio, 2.0 * ratio);
    while !empty(hi) {
        (lo, hi) = (hi, 2.0 * hi);
        if !hi.is_finite() {
            return None;
        }
    }
    while hi > 1.001 * lo {
        let middle = f64::midpoint(lo, hi);
        if empty(middle) { hi = middle } else { lo = middle }
    }
    Some(hi)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_equal_agents_are_bounded_by_hand() {
        // Losses of 1 and F = 4: parts of 1/4. A gain is at most (4/3)(1 + 1/4) = 5/3, and half of it is 5/6.
        let weights = Weights::equal(2);
        let known = KnownLosses { at: &[1.0, 1.0], least: &[0.0, 0.0] };
        let found = headroom_ahead(known, &[1.0, 1.0], &weights, 4.0);
        assert!((found - 5.0 / 6.0).abs() < 1e-15, "{found}");
        // At one, (1 + p)/(1 - p) = 2 for p = 1/3: empty from F = 3.
        let from = empty_from(known, &[1.0, 1.0], &weights).unwrap();
        assert!((3.0..=3.004).contains(&from), "{from}");
        // Nobody can lose less than 1: a gain is at most 4/3, and empty from F = 2.
        let known = KnownLosses { at: &[1.0, 1.0], least: &[1.0, 1.0] };
        let found = headroom_ahead(known, &[1.0, 1.0], &weights, 4.0);
        assert!((found - 2.0 / 3.0).abs() < 1e-15, "{found}");
        let from = empty_from(known, &[1.0, 1.0], &weights).unwrap();
        assert!((2.0..=2.003).contains(&from), "{from}");
        assert_eq!(headroom_ahead(known, &[1.0, 1.0], &weights, 1.0), f64::INFINITY);
        let nothing = KnownLosses { at: &[0.0, 0.0], least: &[0.0, 0.0] };
        assert_eq!(empty_from(nothing, &[1.0, 1.0], &weights), None);
    }
}
