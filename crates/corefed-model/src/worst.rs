//! How large an agent's loss can become on a ball of parameters.

use corefed_core::{Family, FamilyVisitor, MarginLoss, WorstLoss};
use corefed_data::{Design, Federation};

use crate::{ConvexLosses, FederationLosses, least_squares_about_zero, maximum_on_ball};

/// Bounds are rounded up by this share: sums of positive terms round relative to themselves, and a
/// checker that counts its own rounding must be able to prove them.
const ROUNDED_UP: f64 = 1e-10;

/// Bounds every agent's loss over `|theta| <= radius`, ridge included.
///
/// # Requirements
/// A radius `> 0`; any family.
///
/// # Guarantee
/// Upper bounds, rounding included, finite wherever `radius * |x|` is. Least squares: the maximum
/// itself, to a relative `1e-9`, rounding included. Logistic: `|x · theta| <= R |x|`, so the mean of
/// `log(1 + exp(R |x|))`. Softmax: two classes' margins differ by
/// `x · (theta_k - theta_l) <= sqrt(2) R |x|`, so the mean of
/// `log(1 + (K - 1) exp(sqrt(2) R |x|))`. Each adds `(l2 / 2) R^2`.
///
/// # Cost
/// One pass over the rows; for least squares also an eigendecomposition per agent.
///
/// # Reference
/// The Cauchy-Schwarz inequality; for least squares see [`maximum_on_ball`].
#[must_use]
pub fn worst_losses(model: &FederationLosses<'_>, radius: f64) -> Vec<WorstLoss> {
    let federation = model.federation();
    if model.family().is_quadratic() {
        let maximum = |quadratic| {
            let found = maximum_on_ball(&quadratic, radius);
            WorstLoss {
                bound: found.value * (1.0 + ROUNDED_UP),
                multiplier: Some(found.multiplier),
            }
        };
        let quadratics = least_squares_about_zero(federation, model.l2());
        return quadratics.into_iter().map(maximum).collect();
    }
    let classes = model.dim() / federation.design().dim();
    let bound = |agent: &corefed_data::Agent| {
        let weigh = |row: usize| federation.row_weights(row..row + 1).first().map_or(1.0, |w| *w);
        let worst = |row: usize| {
            let (offset, norm) = offset_and_norm(federation, row);
            let target = federation.target()[row];
            weigh(row) * model.family().visit(Worst { classes, offset, radius, norm, target })
        };
        let bound = agent.rows.clone().map(worst).sum::<f64>() / agent.samples() as f64;
        let bound = bound + 0.5 * model.l2() * radius * radius;
        WorstLoss { bound: bound * (1.0 + ROUNDED_UP), multiplier: None }
    };
    federation.agents().iter().map(bound).collect()
}

/// Bounds a classifier's mean loss over `|theta| <= radius` from the lengths of the rows alone,
/// without a ridge.
///
/// # Panics
/// For targets that are numbers, whose worst loss depends on more than lengths.
#[must_use]
pub fn worst_loss_of_norms(
    family: Family,
    classes: usize,
    norms: impl ExactSizeIterator<Item = f64>,
    radius: f64,
) -> f64 {
    assert!(family.targets().is_class(), "lengths alone bound the losses of classifiers");
    let rows = norms.len() as f64;
    // Every label has the same worst loss.
    let target = 0.0;
    let worst = |norm: f64| Worst { classes, offset: 0.0, radius, norm, target };
    norms.map(|norm| family.visit(worst(norm))).sum::<f64>() / rows
}

/// The worst loss of one row on the ball.
struct Worst {
    classes: usize,
    /// Of the margin where parameters are zero.
    offset: f64,
    /// Parameters of the ball move a margin by up to `radius * norm`.
    radius: f64,
    norm: f64,
    target: f64,
}

impl FamilyVisitor for Worst {
    type Output = f64;

    fn one_margin<L: MarginLoss>(self) -> f64 {
        L::worst(self.offset, self.radius * self.norm, self.target)
    }

    fn margin_per_class(self) -> f64 {
        rivals(std::f64::consts::SQRT_2 * self.radius * self.norm, self.classes as f64 - 1.0)
    }
}

/// `log(1 + count * exp(lead))` for `lead >= 0`, without overflow.
fn rivals(lead: f64, count: f64) -> f64 {
    if count == 0.0 { 0.0 } else { lead + count.ln() + ((-lead).exp() / count).ln_1p() }
}

/// The margin of a row where parameters are zero, and the length of its features.
pub(crate) fn offset_and_norm(federation: &Federation, row: usize) -> (f64, f64) {
    let offset = federation.offsets(row..row + 1).first().map_or(0.0, |offset| *offset);
    (offset, norm(federation.design(), row))
}

fn norm(design: &Design, row: usize) -> f64 {
    let squares: f64 = design.dense_rows(row..row + 1).iter().map(|x| x * x).sum();
    (squares + design.hot_cols() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rivals_is_a_log_of_a_sum_of_exponentials() {
        // log(1 + 1) and log(1 + 3 e); far out the lead itself.
        for (lead, count, expected) in [
            (0.0, 1.0, 2_f64.ln()),
            (1.0, 3.0, 3_f64.mul_add(1_f64.exp(), 1.0).ln()),
            (1e6, 1.0, 1e6),
            (5.0, 0.0, 0.0),
        ] {
            let found = rivals(lead, count);
            assert!((found - expected).abs() <= 1e-15 * expected, "{found} != {expected}");
        }
    }
}
