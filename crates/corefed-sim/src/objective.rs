//! What a rule wants of a model, as a number of everybody's losses.

use corefed_core::Weights;
use corefed_rules::{Rule, Safety, Wants};

use crate::FlooredWelfare;

/// The objective of a rule that has one: larger is better.
#[derive(Clone, Debug)]
pub enum Objective {
    /// CoreFed's.
    LogWelfare(FlooredWelfare),
    /// FedAvg's, the weighted mean loss; and q-FFL's, the power mean with exponent `q + 1`.
    PowerMean {
        /// Those that the rule averages by.
        weights: Weights,
        /// Its exponent.
        q: f64,
    },
    /// AFL's.
    LargestLoss,
}

impl Objective {
    /// That of a rule with the weights that it goes by; `None` for a rule that has none. Ceilings are those
    /// of the run: one that is raised changes pulls, not what is wanted.
    #[must_use]
    pub fn of(rule: Rule, safety: &Safety, weights: &Weights, ceilings: &[f64]) -> Option<Self> {
        let weights = weights.clone();
        match rule.info().steadied.wants()? {
            Wants::LogWelfare => Some(Self::LogWelfare(FlooredWelfare {
                weights,
                ceilings: ceilings.to_vec(),
                floor: safety.floor,
            })),
            Wants::PowerMean => {
                let q = if let Rule::Qffl { q } = rule { q } else { 0.0 };
                Some(Self::PowerMean { weights, q })
            }
            Wants::LargestLoss => Some(Self::LargestLoss),
        }
    }

    /// Which of several models is best by everybody's losses with each; of equals the first. One with a loss
    /// that is not a number never is, unless it is the last, which none is better than.
    #[must_use]
    pub fn choose(&self, models: &[Vec<f64>]) -> usize {
        let (mut best, mut place) = (f64::NEG_INFINITY, models.len().saturating_sub(1));
        for (at, losses) in models.iter().enumerate() {
            let value = self.worth(losses);
            if value > best {
                (best, place) = (value, at);
            }
        }
        place
    }

    /// What losses are worth; minus infinity where one is not a number.
    fn worth(&self, losses: &[f64]) -> f64 {
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
    use corefed_rules::RULES;

    use super::*;

    fn of(rule: Rule, losses: &[f64]) -> f64 {
        objective(rule).worth(losses)
    }

    fn objective(rule: Rule) -> Objective {
        let average = Weights::new(vec![3.0, 1.0]).unwrap();
        let weights = rule.info().weighs_by.choose(&Weights::equal(2), &average).clone();
        Objective::of(rule, &Safety::default(), &weights, &[4.0, 4.0]).unwrap()
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
    fn rules_whose_steps_are_searched_have_something_to_search_for() {
        for info in RULES {
            let rule = info.default;
            let found = Objective::of(rule, &Safety::default(), &Weights::equal(2), &[4.0, 4.0]);
            assert_eq!(found.is_some(), info.steadied.searches(), "{}", info.name);
        }
    }

    #[test]
    fn the_first_of_the_best_models_is_chosen_and_never_one_that_is_no_number() {
        let afl = objective(Rule::Afl { gamma: 0.1 });
        let choose = |largest: &[f64]| {
            afl.choose(&largest.iter().map(|&loss| vec![0.5, loss]).collect::<Vec<_>>())
        };
        assert_eq!(choose(&[3.0, 1.0, 1.0, 2.0]), 1);
        assert_eq!(choose(&[f64::NAN, f64::INFINITY, 2.0]), 2);
        assert_eq!(choose(&[f64::NAN, f64::INFINITY, f64::NAN]), 2);
    }

    #[test]
    fn what_is_not_a_number_is_worth_nothing() {
        for rule in [Rule::Fedavg, Rule::Afl { gamma: 0.1 }, Rule::named("corefed").unwrap()] {
            assert_eq!(of(rule, &[1.0, f64::NAN]), f64::NEG_INFINITY);
            assert_eq!(of(rule, &[1.0, f64::INFINITY]), f64::NEG_INFINITY);
        }
    }
}
