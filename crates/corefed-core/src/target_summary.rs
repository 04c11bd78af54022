//! What the best common constant depends on: a few averages of each agent's targets.

use serde::{Deserialize, Serialize};

use crate::{Family, Observation, Targets, Weights, label};

/// Averages of one agent's targets, from which its loss under any constant follows.
#[derive(Clone, Debug, PartialEq)]
pub enum TargetSummary {
    /// Of a quantity.
    Quantity {
        /// Its mean.
        mean: f64,
        /// Its mean squared distance from that.
        variance: f64,
    },
    /// The shares of classes, in the order of the encoding.
    Classes(Vec<f64>),
    /// Of counts.
    Counts(CountSummary),
}

/// Averages of counts and of the exposures that they came from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CountSummary {
    /// The mean count `y`.
    pub mean: f64,
    /// The mean exposure `e`; one where rows have none.
    pub exposure: f64,
    /// The mean of `y log(y / e)`, which is zero where `y` is.
    pub log_rate: f64,
}

impl TargetSummary {
    /// Averages over an agent's rows.
    #[must_use]
    pub fn of(rows: &[Observation], family: Family, classes: usize) -> Self {
        let mean = Observation::mean(rows, |row| row.target);
        match family.targets() {
            Targets::Class { .. } => {
                let share = |class: usize| {
                    let of_class =
                        |row: &Observation| f64::from(u8::from(label(row.target) == class));
                    Observation::mean(rows, of_class)
                };
                Self::Classes((0..classes.max(2)).map(share).collect())
            }
            Targets::Number => {
                let variance = Observation::mean(rows, |row| (row.target - mean).powi(2));
                Self::Quantity { mean, variance }
            }
            Targets::Count => {
                let log_rate = |row: &Observation| {
                    if row.target > 0.0 {
                        row.target * (row.target / row.exposure).ln()
                    } else {
                        0.0
                    }
                };
                Self::Counts(CountSummary {
                    mean,
                    exposure: Observation::mean(rows, |row| row.exposure),
                    log_rate: Observation::mean(rows, log_rate),
                })
            }
        }
    }

    /// As numbers in a row, to be sent.
    #[must_use]
    pub fn numbers(&self) -> Vec<f64> {
        match self {
            Self::Quantity { mean, variance } => vec![*mean, *variance],
            Self::Classes(shares) => shares.clone(),
            Self::Counts(counts) => vec![counts.mean, counts.exposure, counts.log_rate],
        }
    }

    /// From numbers that were sent; `None` where no rows could have them.
    #[must_use]
    pub fn from_numbers(numbers: &[f64], family: Family, classes: usize) -> Option<Self> {
        let found = match (family.targets(), numbers) {
            (Targets::Class { .. }, shares) => {
                let total: f64 = shares.iter().sum();
                let good = shares.len() == classes.max(2)
                    && shares.iter().all(|share| (0.0..=1.0).contains(share))
                    && (total - 1.0).abs() <= 1e-9;
                good.then(|| Self::Classes(shares.to_vec()))
            }
            (Targets::Number, &[mean, variance]) => {
                (variance >= 0.0).then_some(Self::Quantity { mean, variance })
            }
            (Targets::Count, &[mean, exposure, log_rate]) => (mean >= 0.0 && exposure > 0.0)
                .then_some(Self::Counts(CountSummary { mean, exposure, log_rate })),
            _ => None,
        };
        found.filter(|_| numbers.iter().all(|number| number.is_finite()))
    }

    /// What the constant that suits everybody best, by weight, costs each agent (ledger E62). `None` where
    /// summaries are not of one kind.
    #[must_use]
    pub fn common_constant_losses(all: &[Self], weights: &Weights) -> Option<Vec<f64>> {
        let average = |number: &dyn Fn(&Self) -> Option<f64>| {
            let parts = all.iter().zip(weights.values());
            let total = parts.map(|(own, weight)| Some(weight * number(own)?)).sum::<Option<f64>>();
            Some(total? / weights.total())
        };
        match all.first()? {
            Self::Quantity { .. } => {
                let best = average(&|own| match own {
                    Self::Quantity { mean, .. } => Some(*mean),
                    _ => None,
                })?;
                let loss = |own: &Self| match own {
                    Self::Quantity { mean, variance } => Some(variance + (mean - best).powi(2)),
                    _ => None,
                };
                all.iter().map(loss).collect()
            }
            Self::Classes(first) => {
                let share = |k: usize| {
                    average(&|own| match own {
                        Self::Classes(shares) if shares.len() == first.len() => Some(shares[k]),
                        _ => None,
                    })
                };
                let best = (0..first.len()).map(share).collect::<Option<Vec<f64>>>()?;
                let loss = |own: &Self| {
                    let Self::Classes(shares) = own else { return None };
                    let pairs = shares.iter().zip(&best).filter(|(own, _)| **own > 0.0);
                    Some(-pairs.map(|(own, share)| own * share.ln()).sum::<f64>())
                };
                all.iter().map(loss).collect()
            }
            Self::Counts(_) => {
                let counts = |own: &Self| match own {
                    Self::Counts(counts) => Some(*counts),
                    _ => None,
                };
                let count = average(&|own| Some(counts(own)?.mean))?;
                let rate = count / average(&|own| Some(counts(own)?.exposure))?;
                let loss = |own: &Self| {
                    let CountSummary { mean, exposure, log_rate } = counts(own)?;
                    // Without any counts nothing is said of their logarithm.
                    let told = if mean > 0.0 { mean * rate.ln() } else { 0.0 };
                    Some((rate * exposure - mean + log_rate - told).max(0.0))
                };
                all.iter().map(loss).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(targets: &[f64], exposure: f64) -> Vec<Observation> {
        targets.iter().map(|&target| Observation { target, weight: 1.0, exposure }).collect()
    }

    fn close(found: Option<Vec<f64>>, expected: [f64; 2]) {
        let found = found.unwrap();
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14), "{found:?}");
    }

    #[test]
    fn losses_under_the_common_constant_are_worked_by_hand() {
        let weights = Weights::new(vec![1.0, 2.0]).unwrap();
        let of = |family, classes, one: &[f64], other: &[f64]| {
            let all = [one, other].map(|own| TargetSummary::of(&rows(own, 1.0), family, classes));
            TargetSummary::common_constant_losses(&all, &weights)
        };
        // Means 0 and 3: the constant is 2.
        close(of(Family::Linear, 0, &[0.0], &[2.0, 3.0, 4.0]), [4.0, 1.0 + 2.0 / 3.0]);
        // Label 1 has shares of 1 and 1/4: 1/2 among both.
        let half = 2_f64.ln();
        close(of(Family::Logistic, 2, &[1.0], &[0.0, 1.0, 0.0, 0.0]), [half, half]);
        // Counts 3 and 0: the rate is 1, and `1 - 3 + 3 ln 3` is what it costs the first.
        close(of(Family::Poisson, 0, &[3.0], &[0.0, 0.0]), [3.0 * 3_f64.ln() - 2.0, 1.0]);
    }

    #[test]
    fn exposures_count_as_observation_times() {
        // 2 in 4 years and 2 in 1: a rate of 4/5 with equal say. Expected 3.2 and 0.8.
        let all = [4.0, 1.0].map(|e| TargetSummary::of(&rows(&[2.0], e), Family::Poisson, 0));
        let found = TargetSummary::common_constant_losses(&all, &Weights::equal(2));
        let loss = |mean: f64| mean - 2.0 + 2.0 * (2.0 / mean).ln();
        close(found, [loss(3.2), loss(0.8)]);
    }

    #[test]
    fn numbers_that_no_rows_have_are_refused() {
        let read = |numbers: &[f64], family| TargetSummary::from_numbers(numbers, family, 3);
        for summary in [
            (TargetSummary::Quantity { mean: -1.0, variance: 2.0 }, Family::Linear),
            (TargetSummary::Classes(vec![0.5, 0.25, 0.25]), Family::Softmax),
            (
                TargetSummary::Counts(CountSummary { mean: 2.0, exposure: 1.5, log_rate: -0.3 }),
                Family::Poisson,
            ),
        ] {
            assert_eq!(read(&summary.0.numbers(), summary.1), Some(summary.0));
        }
        assert_eq!(read(&[0.5, 0.5], Family::Softmax), None);
        assert_eq!(read(&[0.5, 0.5, 0.5], Family::Softmax), None);
        assert_eq!(read(&[1.0, -1.0], Family::Linear), None);
        assert_eq!(read(&[1.0, f64::NAN], Family::Linear), None);
        assert_eq!(read(&[1.0, 0.0, 0.0], Family::Poisson), None);
        let mixed = [TargetSummary::Classes(vec![1.0]), TargetSummary::Classes(vec![0.5, 0.5])];
        assert_eq!(TargetSummary::common_constant_losses(&mixed, &Weights::equal(2)), None);
    }
}
