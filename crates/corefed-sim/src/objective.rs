//! What a rule wants of a model, as a number of everybody's losses.

use corefed_core::Weights;
use corefed_rules::Rule;
use corefed_spec::Train;

use crate::{FlooredWelfare, Terms};

/// The objective of a rule that has one: larger is better.
#[derive(Clone, Debug)]
pub(crate) enum Objective {
    /// CoreFed's.
    LogWelfare(FlooredWelfare),
    /// FedAvg's, the weighted mean loss; and q-FFL's, the power mean with exponent `q + 1`.
    PowerMean { weights: Weights, q: f64 },
    /// AFL's.
    LargestLoss,
}

impl Objective {
    /// That of a training; `None` for a rule that has none.
    pub(crate) fn of(train: &Train, terms: &Terms) -> Option<Self> {
        let weights = train.rule.info().weighs_by.choose(&terms.weights, &terms.average).clone();
        match train.rule {
            Rule::Corefed { .. } => Some(Self::LogWelfare(FlooredWelfare {
                weights,
                // Those of the run: a ceiling that is raised changes pulls, not what is wanted.
                ceilings: terms.ceilings.clone(),
                floor: train.safety.floor,
            })),
            Rule::Fedavg => Some(Self::PowerMean { weights, q: 0.0 }),
            Rule::Qffl { q } => Some(Self::PowerMean { weights, q }),
            Rule::Afl { .. } => Some(Self::LargestLoss),
            _ => None,
        }
    }

    /// What losses are worth; minus infinity where one is not a number.
    pub(crate) fn worth(&self, losses: &[f64]) -> f64 {
        let largest = losses.iter().copied().fold(0.0, f64::max);
        let worth = match self {
            Self::LogWelfare(welfare) => welfare.value(losses),
            Self::PowerMean { weights, q } => -power_mean(weights, losses, 1.0 + q, largest),
            Self::LargestLoss => -largest,
        };
        if losses.iter().any(|loss| loss.is_nan()) || worth.is_nan() {
            f64::NEG_INFINITY
        } else {
            worth
        }
    }
}

/// `(sum_i w_i L_i^p / W)^(1/p)`, in units of the largest loss so that no power overflows.
fn power_mean(weights: &Weights, losses: &[f64], power: f64, largest: f64) -> f64 {
    if largest == 0.0 {
        return 0.0;
    }
    let term = |(w, loss): (&f64, &f64)| w * libm::pow(loss / largest, power);
    let sum: f64 = weights.values().iter().zip(losses).map(term).sum();
    largest * libm::pow(sum / weights.total(), 1.0 / power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rule: Rule, losses: &[f64]) -> f64 {
        let terms = Terms {
            names: vec!["a".into(), "b".into()],
            weights: Weights::equal(2),
            average: Weights::new(vec![3.0, 1.0]).unwrap(),
            ceilings: vec![4.0, 4.0],
            radius: 1.0,
            premise: false,
            nonnegative: None,
        };
        Objective::of(&Train { rule, ..Train::default() }, &terms).unwrap().worth(losses)
    }

    #[test]
    fn rules_want_what_they_say() {
        let close =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-14, "{found}");
        // (3*1 + 3)/4 = 1.5; sqrt((1 + 9)/2); 3; log 3 + log 1.
        close(of(Rule::Fedavg, &[1.0, 3.0]), -1.5);
        close(of(Rule::Qffl { q: 1.0 }, &[1.0, 3.0]), -(5.0_f64.sqrt()));
        close(of(Rule::Afl { gamma: 0.1 }, &[1.0, 3.0]), -3.0);
        close(of(Rule::named("corefed").unwrap(), &[1.0, 3.0]), 3.0_f64.ln());
        // Below the floor of 0.4 the log is its tangent: log 0.4 - (0.4 + 1)/0.4 at u = -1.
        let below = 0.4_f64.ln() - 1.4 / 0.4;
        close(of(Rule::named("corefed").unwrap(), &[3.0, 5.0]), below);
    }

    #[test]
    fn what_is_not_a_number_is_worth_nothing() {
        for rule in [Rule::Fedavg, Rule::Afl { gamma: 0.1 }, Rule::named("corefed").unwrap()] {
            assert_eq!(of(rule, &[1.0, f64::NAN]), f64::NEG_INFINITY);
            assert_eq!(of(rule, &[1.0, f64::INFINITY]), f64::NEG_INFINITY);
        }
    }
}
