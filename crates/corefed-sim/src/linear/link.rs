//! What a family makes of one row's margins: its loss, its residuals, and whether it is right.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use corefed_core::{Family, FamilyVisitor, MarginLoss, exp_nonpositive, label};

/// A family with its number of classes' margins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) family: Family,
    pub(super) blocks: usize,
}

/// What one row says about the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RowLoss {
    pub(super) loss: f64,
    pub(super) correct: bool,
}

impl Link {
    /// Replaces margins, padded or not, by the derivatives of the loss in them.
    #[inline(always)]
    pub(super) fn residuals(self, target: f64, margins: &mut [f64]) -> RowLoss {
        self.family.visit(Residuals { blocks: self.blocks, target, margins })
    }
}

/// See [`Link::residuals`].
struct Residuals<'a> {
    blocks: usize,
    target: f64,
    margins: &'a mut [f64],
}

impl FamilyVisitor for Residuals<'_> {
    type Output = RowLoss;

    #[inline(always)]
    fn one_margin<L: MarginLoss>(self) -> RowLoss {
        let correct = L::decides_for(self.margins[0], self.target);
        let (loss, slope) = L::differentiate(self.margins[0], self.target);
        self.margins[0] = slope;
        RowLoss { loss, correct }
    }

    #[inline(always)]
    fn margin_per_class(self) -> RowLoss {
        let Self { blocks, target, margins } = self;
        let class = label(target);
        margins[blocks..].fill(f64::NEG_INFINITY);
        let own = margins[class];
        let top = margins.iter().copied().fold(f64::NEG_INFINITY, |a, b| if b > a { b } else { a });
        // The first of several largest margins decides.
        let correct = own == top && margins[..class].iter().all(|m| *m < top);
        for margin in &mut *margins {
            *margin = exp_nonpositive(*margin - top);
        }
        let sum: f64 = margins.iter().sum();
        let share = 1.0 / sum;
        for margin in &mut *margins {
            *margin *= share;
        }
        margins[class] -= 1.0;
        RowLoss { loss: (top - own) + sum.ln(), correct }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residuals_are_the_derivatives_of_the_loss() {
        let cases = [
            (Family::Linear, 1, 0.3, vec![1.1]),
            (Family::Logistic, 1, 1.0, vec![0.4]),
            (Family::Logistic, 1, 0.0, vec![0.4]),
            (Family::Softmax, 3, 1.0, vec![0.2, -0.5, 1.5, 9.0]),
        ];
        for (family, blocks, target, margins) in cases {
            let link = Link { family, blocks };
            let loss = |margins: &[f64]| link.residuals(target, &mut margins.to_vec()).loss;
            let mut residuals = margins.clone();
            link.residuals(target, &mut residuals);
            for k in 0..blocks {
                let shifted = |by: f64| {
                    let mut moved = margins.clone();
                    moved[k] += by;
                    loss(&moved)
                };
                let slope = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
                assert!((slope - residuals[k]).abs() < 1e-8, "{family:?} {k}: {slope}");
            }
            assert!(residuals[blocks..].iter().all(|r| *r == 0.0), "padding stays out of it");
        }
    }

    #[test]
    fn ties_go_to_the_first_class() {
        let softmax = Link { family: Family::Softmax, blocks: 3 };
        assert!(softmax.residuals(0.0, &mut [0.0; 3]).correct);
        assert!(!softmax.residuals(1.0, &mut [0.0; 3]).correct);
        let logistic = Link { family: Family::Logistic, blocks: 1 };
        assert!(logistic.residuals(0.0, &mut [0.0]).correct);
        assert!(!logistic.residuals(1.0, &mut [0.0]).correct);
    }
}
