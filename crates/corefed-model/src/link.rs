//! What a family does to margins: losses of samples and their derivatives in the margins.
//!
//! Blocks of rows keep one run of margins per class, so that every loop runs along rows and
//! vectorises.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use corefed_core::Family;

use crate::{
    accumulate::total,
    exponential::{exp_nonpositive, log1p_unit},
    gram::BLOCK,
};

/// A family with its number of margins per row.
#[derive(Clone, Copy)]
pub(crate) struct Link {
    pub(crate) family: Family,
    pub(crate) blocks: usize,
}

impl Link {
    /// Gram matrices that make up a Hessian: one per pair of classes.
    pub(crate) fn pairs(self) -> usize {
        self.blocks * (self.blocks + 1) / 2
    }

    /// Whether curvature depends on the margins at all.
    pub(crate) fn is_curved(self) -> bool {
        self.family != Family::Linear
    }

    /// Replaces margins by the derivatives of the losses in them; returns the sum of losses.
    #[inline(always)]
    pub(crate) fn differentiate(
        self,
        target: &[f64],
        row_weights: &[f64],
        margins: &mut [f64],
    ) -> f64 {
        let mut losses = [0.0; BLOCK];
        let losses = &mut losses[..target.len()];
        match self.family {
            Family::Linear => {
                for ((z, &y), loss) in margins.iter_mut().zip(target).zip(&mut *losses) {
                    let error = *z - y;
                    *loss = error * error;
                    *z = 2.0 * error;
                }
            }
            Family::Logistic => {
                for ((z, &y), loss) in margins.iter_mut().zip(target).zip(&mut *losses) {
                    let sign = 1.0 - 2.0 * y;
                    let wrong = sign * *z;
                    let small = exp_nonpositive(-wrong.abs());
                    let share = 1.0 / (1.0 + small);
                    let positive = wrong > 0.0;
                    *loss = if positive { wrong } else { 0.0 } + log1p_unit(small);
                    *z = sign * if positive { share } else { small * share };
                }
            }
            Family::Softmax => {
                let n = target.len();
                let class_of = |r: usize| label(target[r]) * n + r;
                for (r, loss) in losses.iter_mut().enumerate() {
                    *loss = -margins[class_of(r)];
                }
                let (top, sum) = exponentiate(margins, n);
                for ((loss, top), sum) in losses.iter_mut().zip(top).zip(sum) {
                    *loss = (*loss + top) + sum.ln();
                }
                normalise(margins, &sum[..n]);
                for r in 0..n {
                    margins[class_of(r)] -= 1.0;
                }
            }
        }
        weigh(row_weights, losses);
        weigh(row_weights, margins);
        total(losses)
    }

    /// Writes the second derivatives of the losses times `factor`: for each pair of classes
    /// `k >= l`, in the order (0,0), (1,0), (1,1), (2,0)..., one number per row. Margins are
    /// used up.
    #[inline(always)]
    pub(crate) fn curvatures(self, factor: f64, margins: &mut [f64], weights: &mut [f64]) {
        match self.family {
            Family::Linear => weights.fill(2.0 * factor),
            Family::Logistic => {
                for (z, weight) in margins.iter().zip(weights) {
                    *weight = factor * logistic_curvature(*z);
                }
            }
            Family::Softmax => {
                let n = margins.len() / self.blocks;
                let (_, sum) = exponentiate(margins, n);
                normalise(margins, &sum[..n]);
                let mut weights = weights.chunks_exact_mut(n);
                for (k, p) in margins.chunks_exact(n).enumerate() {
                    for (l, q) in margins.chunks_exact(n).enumerate().take(k + 1) {
                        let Some(weights) = weights.next() else { return };
                        let own = if k == l { 1.0 } else { 0.0 };
                        for ((weight, p), q) in weights.iter_mut().zip(p).zip(q) {
                            *weight = factor * p * (own - q);
                        }
                    }
                }
            }
        }
    }

    /// Replaces `along`, the margins of a direction, by `factor` times the second derivatives
    /// applied to it. Margins are used up.
    #[inline(always)]
    pub(crate) fn curve(self, factor: f64, margins: &mut [f64], along: &mut [f64]) {
        match self.family {
            Family::Linear => {
                for u in along {
                    *u *= 2.0 * factor;
                }
            }
            Family::Logistic => {
                for (z, u) in margins.iter().zip(along) {
                    *u *= factor * logistic_curvature(*z);
                }
            }
            Family::Softmax => {
                let n = margins.len() / self.blocks;
                let (_, sum) = exponentiate(margins, n);
                normalise(margins, &sum[..n]);
                let mut mean = [0.0; BLOCK];
                for (p, u) in margins.chunks_exact(n).zip(along.chunks_exact(n)) {
                    for ((mean, p), u) in mean.iter_mut().zip(p).zip(u) {
                        *mean += p * u;
                    }
                }
                for (p, u) in margins.chunks_exact(n).zip(along.chunks_exact_mut(n)) {
                    for ((mean, p), u) in mean.iter().zip(p).zip(u) {
                        *u = factor * p * (*u - mean);
                    }
                }
            }
        }
    }
}

/// The class of a target.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "labels are checked to be small whole numbers"
)]
#[inline(always)]
pub(crate) fn label(target: f64) -> usize {
    target as usize
}

/// `sigma (1 - sigma)`, the same for both labels.
/// Multiplies runs of numbers, one per row, by the rows' weights; none means that all are one.
#[inline(always)]
pub(crate) fn weigh(row_weights: &[f64], runs: &mut [f64]) {
    if row_weights.is_empty() {
        return;
    }
    for run in runs.chunks_exact_mut(row_weights.len()) {
        for (value, weight) in run.iter_mut().zip(row_weights) {
            *value *= weight;
        }
    }
}

#[inline(always)]
fn logistic_curvature(margin: f64) -> f64 {
    let small = exp_nonpositive(-margin.abs());
    let share = 1.0 / (1.0 + small);
    share * (small * share)
}

/// Replaces margins by `exp(margin - top)`; returns the largest margin and the sum of the
/// exponentials for each of the `n` rows.
#[inline(always)]
fn exponentiate(margins: &mut [f64], n: usize) -> ([f64; BLOCK], [f64; BLOCK]) {
    let (mut top, mut sum) = ([f64::NEG_INFINITY; BLOCK], [0.0; BLOCK]);
    for class in margins.chunks_exact(n) {
        for (top, &z) in top.iter_mut().zip(class) {
            *top = if z > *top { z } else { *top };
        }
    }
    for class in margins.chunks_exact_mut(n) {
        for ((z, top), sum) in class.iter_mut().zip(&top).zip(&mut sum) {
            *z = exp_nonpositive(*z - top);
            *sum += *z;
        }
    }
    (top, sum)
}

#[inline(always)]
fn normalise(exponentials: &mut [f64], sum: &[f64]) {
    for class in exponentials.chunks_exact_mut(sum.len()) {
        for (p, sum) in class.iter_mut().zip(sum) {
            *p /= sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extreme_margins_stay_finite() {
        let logistic = Link { family: Family::Logistic, blocks: 1 };
        for (z, y, loss, slope) in [
            (1e300, 1.0, 0.0, 0.0),
            (1e300, 0.0, 1e300, 1.0),
            (-1e300, 1.0, 1e300, -1.0),
            (-1e300, 0.0, 0.0, 0.0),
        ] {
            let mut margin = [z];
            let found = logistic.differentiate(&[y], &[], &mut margin);
            assert!(found.is_finite() && (found - loss).abs() <= 1e-16 * loss, "{z}, {y}: {found}");
            assert!((margin[0] - slope).abs() < 1e-300, "{z}, {y}: slope {}", margin[0]);
            let mut weight = [1.0];
            logistic.curvatures(1.0, &mut [z], &mut weight);
            assert_eq!(weight[0].abs().to_bits(), 0);
        }
        let softmax = Link { family: Family::Softmax, blocks: 3 };
        let mut margins = [1e300, -1e300, 0.0];
        let found = softmax.differentiate(&[1.0], &[], &mut margins);
        assert!((found - 2e300).abs() < 1e285, "{found}");
        assert!(margins.iter().zip([1.0, -1.0, 0.0]).all(|(a, b)| (a - b).abs() < 1e-300));
    }
}
