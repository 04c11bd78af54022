//! Losses that are functions of one margin `x·theta`, plus the log of the exposure where rows have one,
//! and their derivatives.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use crate::exponential::{exp_nonpositive, log1p_unit};

/// A convex loss of one margin.
///
/// Functions are branch-free where they can be, because kernels run them along rows.
pub trait MarginLoss {
    /// The loss and its derivative in the margin.
    fn differentiate(margin: f64, target: f64) -> (f64, f64);

    /// The second derivative of the loss, which depends on the margin alone.
    fn curvature(margin: f64) -> f64;

    /// What is predicted where targets are numbers: their mean given the margin.
    fn mean(margin: f64) -> f64;

    /// Whether the margin decides for the target; never, where targets are not classes.
    #[inline(always)]
    #[must_use]
    fn decides_for(_margin: f64, _target: f64) -> bool {
        false
    }

    /// At least the loss wherever the margin is within `reach` of `centre`: a convex function is
    /// largest at an end.
    #[must_use]
    fn worst(centre: f64, reach: f64, target: f64) -> f64 {
        let loss = |margin| Self::differentiate(margin, target).0;
        loss(centre - reach).max(loss(centre + reach))
    }

    /// The mean loss of `rows` under the constant that suits `fitted` best, without `l2` (ledger E62).
    fn constant_loss(fitted: &[Observation], rows: &[Observation]) -> f64;
}

/// A row without its features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// What is to be predicted.
    pub target: f64,
    /// How much it counts; one in the mean over all rows that it is among.
    pub weight: f64,
    /// For how long, or how many, it was observed; one where rows have no exposure.
    pub exposure: f64,
}

impl Observation {
    /// The mean of a number of each row, by weight.
    pub fn mean(rows: &[Self], number: impl Fn(&Self) -> f64) -> f64 {
        rows.iter().map(|row| row.weight * number(row)).sum::<f64>() / rows.len() as f64
    }
}

/// `(margin - target)^2`.
#[derive(Clone, Copy, Debug)]
pub struct SquaredError;

impl MarginLoss for SquaredError {
    #[inline(always)]
    fn differentiate(margin: f64, target: f64) -> (f64, f64) {
        let error = margin - target;
        (error * error, 2.0 * error)
    }

    #[inline(always)]
    fn curvature(_margin: f64) -> f64 {
        2.0
    }

    fn mean(margin: f64) -> f64 {
        margin
    }

    /// The best constant is the mean, and the variance of the targets its loss on the same rows.
    fn constant_loss(fitted: &[Observation], rows: &[Observation]) -> f64 {
        let mean = Observation::mean(fitted, |row| row.target);
        Observation::mean(rows, |row| (row.target - mean).powi(2))
    }
}

/// `log(1 + exp(-s margin))`, `s` being -1 for target 0 and 1 for target 1.
#[derive(Clone, Copy, Debug)]
pub struct LogisticLoss;

impl MarginLoss for LogisticLoss {
    #[inline(always)]
    fn differentiate(margin: f64, target: f64) -> (f64, f64) {
        let sign = 1.0 - 2.0 * target;
        let wrong = sign * margin;
        let small = exp_nonpositive(-wrong.abs());
        let share = 1.0 / (1.0 + small);
        let positive = wrong > 0.0;
        let loss = if positive { wrong } else { 0.0 } + log1p_unit(small);
        (loss, sign * if positive { share } else { small * share })
    }

    /// `sigma (1 - sigma)`, the same for both labels.
    #[inline(always)]
    fn curvature(margin: f64) -> f64 {
        let small = exp_nonpositive(-margin.abs());
        let share = 1.0 / (1.0 + small);
        share * (small * share)
    }

    /// The probability of target 1.
    fn mean(margin: f64) -> f64 {
        Self::differentiate(margin, 0.0).1
    }

    /// A margin of zero decides for the first class.
    #[inline(always)]
    fn decides_for(margin: f64, target: f64) -> bool {
        let wrong = (1.0 - 2.0 * target) * margin;
        wrong < 0.0 || (wrong == 0.0 && target == 0.0)
    }

    /// The same for both labels: one end is as bad for one as the other is for the other.
    fn worst(centre: f64, reach: f64, _target: f64) -> f64 {
        let lead = reach + centre.abs();
        lead + (-lead).exp().ln_1p()
    }

    fn constant_loss(fitted: &[Observation], rows: &[Observation]) -> f64 {
        cross_entropy(fitted, rows, 2)
    }
}

/// The mean cross-entropy of `rows` under the shares of classes among `fitted`, in nats: the entropy of
/// their labels where both are the same; infinite for a label that `fitted` has not seen.
#[must_use]
pub fn cross_entropy(fitted: &[Observation], rows: &[Observation], classes: usize) -> f64 {
    let pairs = shares(fitted, classes).into_iter().zip(shares(rows, classes));
    // The limit of p log p at zero is zero.
    -pairs.filter(|(_, own)| *own > 0.0).map(|(share, own)| own * share.ln()).sum::<f64>()
}

/// Shares of classes, by weight.
fn shares(rows: &[Observation], classes: usize) -> Vec<f64> {
    let mut counts = vec![0.0; classes];
    for row in rows {
        counts[label(row.target)] += row.weight;
    }
    counts.iter().map(|count| count / rows.len() as f64).collect()
}

/// The class of an encoded target.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "labels are checked to be small whole numbers"
)]
#[inline(always)]
#[must_use]
pub fn label(target: f64) -> usize {
    target as usize
}
