//! What a family makes of one row's margins: its loss, its residuals, and whether it is right.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use corefed_core::Family;
use corefed_model::{exp_nonpositive, log1p_unit};

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
        match self.family {
            Family::Linear => {
                let error = margins[0] - target;
                margins[0] = 2.0 * error;
                RowLoss { loss: error * error, correct: false }
            }
            Family::Logistic => {
                let sign = 1.0 - 2.0 * target;
                let wrong = sign * margins[0];
                let small = exp_nonpositive(-wrong.abs());
                let share = 1.0 / (1.0 + small);
                let positive = wrong > 0.0;
                margins[0] = sign * if positive { share } else { small * share };
                let loss = if positive { wrong } else { 0.0 } + log1p_unit(small);
                // A margin of zero decides for the first class.
                RowLoss { loss, correct: wrong < 0.0 || (wrong == 0.0 && target == 0.0) }
            }
            Family::Softmax => self.softmax(target, margins),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "labels are checked to be small whole numbers"
    )]
    #[inline(always)]
    fn softmax(self, target: f64, margins: &mut [f64]) -> RowLoss {
        let class = target as usize;
        margins[self.blocks..].fill(f64::NEG_INFINITY);
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
