//! What a family does to margins: losses of samples and their derivatives in the margins.
//!
//! Blocks of rows keep one run of margins per class, so that every loop runs along rows and
//! vectorises.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use corefed_core::{Family, FamilyVisitor, MarginLoss, exp_nonpositive, label};

use crate::{accumulate::total, gram::BLOCK};

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
        !self.family.is_quadratic()
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
        self.family.visit(Differentiate { target, margins, losses });
        weigh(row_weights, losses);
        weigh(row_weights, margins);
        total(losses)
    }

    /// Writes the second derivatives of the losses times `factor`: for each pair of classes
    /// `k >= l`, in the order (0,0), (1,0), (1,1), (2,0)..., one number per row. Margins are
    /// used up.
    #[inline(always)]
    pub(crate) fn curvatures(self, factor: f64, margins: &mut [f64], weights: &mut [f64]) {
        self.family.visit(Curvatures { blocks: self.blocks, factor, margins, weights });
    }

    /// Replaces `along`, the margins of a direction, by `factor` times the second derivatives
    /// applied to it. Margins are used up.
    #[inline(always)]
    pub(crate) fn curve(self, factor: f64, margins: &mut [f64], along: &mut [f64]) {
        self.family.visit(Curve { blocks: self.blocks, factor, margins, along });
    }
}

/// See [`Link::differentiate`].
struct Differentiate<'a> {
    target: &'a [f64],
    margins: &'a mut [f64],
    losses: &'a mut [f64],
}

impl FamilyVisitor for Differentiate<'_> {
    type Output = ();

    #[inline(always)]
    fn one_margin<L: MarginLoss>(self) {
        for ((z, &y), loss) in self.margins.iter_mut().zip(self.target).zip(self.losses) {
            (*loss, *z) = L::differentiate(*z, y);
        }
    }

    #[inline(always)]
    fn margin_per_class(self) {
        let Self { target, margins, losses } = self;
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

/// See [`Link::curvatures`].
struct Curvatures<'a> {
    blocks: usize,
    factor: f64,
    margins: &'a mut [f64],
    weights: &'a mut [f64],
}

impl FamilyVisitor for Curvatures<'_> {
    type Output = ();

    #[inline(always)]
    fn one_margin<L: MarginLoss>(self) {
        for (z, weight) in self.margins.iter().zip(self.weights) {
            *weight = self.factor * L::curvature(*z);
        }
    }

    #[inline(always)]
    fn margin_per_class(self) {
        let Self { blocks, factor, margins, weights } = self;
        let n = margins.len() / blocks;
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

/// See [`Link::curve`].
struct Curve<'a> {
    blocks: usize,
    factor: f64,
    margins: &'a mut [f64],
    along: &'a mut [f64],
}

impl FamilyVisitor for Curve<'_> {
    type Output = ();

    #[inline(always)]
    fn one_margin<L: MarginLoss>(self) {
        for (z, u) in self.margins.iter().zip(self.along) {
            *u *= self.factor * L::curvature(*z);
        }
    }

    #[inline(always)]
    fn margin_per_class(self) {
        let Self { blocks, factor, margins, along } = self;
        let n = margins.len() / blocks;
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
