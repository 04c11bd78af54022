//! Losses of predictors that need no training, to measure others by.

use corefed_core::{Family, FamilyVisitor, MarginLoss, Observation, entropy};
use corefed_data::{Agent, Federation};

use crate::ConvexLosses;

/// Every agent's loss at zero.
#[must_use]
pub fn zero_losses(model: &impl ConvexLosses) -> Vec<f64> {
    let members: Vec<_> = (0..model.agents()).collect();
    let mut losses = vec![0.0; members.len()];
    model.losses(&vec![0.0; model.dim()], &members, &mut losses);
    losses
}

/// Every agent's loss under the constant that suits it best, without `l2`: the variance of its
/// targets, or the entropy of its labels in nats.
///
/// What an agent can have without any features; `classes` matters to softmax only.
#[must_use]
pub fn constant_losses(federation: &Federation, family: Family, classes: usize) -> Vec<f64> {
    let own = |agent: &Agent| -> Vec<Observation> {
        let one_unless = |numbers: &[f64]| numbers.first().map_or(1.0, |number| *number);
        let row = |row: usize| Observation {
            target: federation.target()[row],
            weight: one_unless(federation.row_weights(row..row + 1)),
            exposure: one_unless(federation.exposure(row..row + 1)),
        };
        agent.rows.clone().map(row).collect()
    };
    let constant = |agent| family.visit(BestConstant { rows: &own(agent), classes });
    federation.agents().iter().map(constant).collect()
}

struct BestConstant<'a> {
    rows: &'a [Observation],
    classes: usize,
}

impl FamilyVisitor for BestConstant<'_> {
    type Output = f64;

    fn one_margin<L: MarginLoss>(self) -> f64 {
        L::best_constant(self.rows)
    }

    fn margin_per_class(self) -> f64 {
        entropy(self.rows, self.classes)
    }
}

#[cfg(test)]
mod tests {
    use corefed_data::Design;

    use super::*;
    use crate::FederationLosses;

    fn federation(target: &[f64]) -> Federation {
        let design = Design::dense(target.len(), 1, vec![1.0; target.len()]).unwrap();
        let agent = Agent { name: "a".to_owned(), rows: 0..target.len() };
        Federation::new(design, target.to_vec(), vec![agent])
    }

    fn assert_is(found: &[f64], expected: f64) {
        assert!((found[0] - expected).abs() < 1e-15, "{found:?} != {expected}");
    }

    #[test]
    fn constants_reach_variance_and_entropy() {
        // Mean 2, squared distances 1, 0, 1.
        let numbers = federation(&[1.0, 2.0, 3.0]);
        assert_is(&constant_losses(&numbers, Family::Linear, 0), 2.0 / 3.0);
        // One in four: H = ln 4 - (3/4) ln 3.
        let labels = federation(&[0.0, 1.0, 0.0, 0.0]);
        let expected = 4_f64.ln() - 0.75 * 3_f64.ln();
        assert_is(&constant_losses(&labels, Family::Logistic, 2), expected);
        assert_is(&constant_losses(&labels, Family::Softmax, 5), expected);
        assert_is(&constant_losses(&federation(&[1.0, 1.0]), Family::Logistic, 2), 0.0);
    }

    #[test]
    fn the_zero_predictor_guesses() {
        // (1 + 4 + 9) / 3; ln 2; ln 4. Ridge vanishes at zero.
        let numbers = federation(&[1.0, 2.0, 3.0]);
        let linear = FederationLosses::new(&numbers, Family::Linear, 0, 3.0);
        assert_is(&zero_losses(&linear), 14.0 / 3.0);
        let labels = federation(&[0.0, 1.0, 0.0, 0.0]);
        let logistic = FederationLosses::new(&labels, Family::Logistic, 2, 3.0);
        assert_is(&zero_losses(&logistic), 2_f64.ln());
        let softmax = FederationLosses::new(&labels, Family::Softmax, 4, 3.0);
        assert_is(&zero_losses(&softmax), 4_f64.ln());
    }
}
