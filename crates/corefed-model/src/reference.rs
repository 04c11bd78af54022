//! Losses of predictors that need no training, to measure others by.

use corefed_core::{
    Family, FamilyVisitor, MarginLoss, Observation, TargetSummary, Weights, cross_entropy,
};
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
    let constant = |agent| {
        let rows = observations(federation, agent, 1.0);
        family.visit(Constant { fitted: &rows, rows: &rows, classes })
    };
    federation.agents().iter().map(constant).collect()
}

/// Every agent's loss under the constant that suits all of them best together, without `l2`: the minimiser of
/// `sum_i w_i L_i` over constants (ledger E62).
///
/// What a common model gives without any features. Adding a number to all targets of a regression changes none
/// of them, because the constant moves along.
#[must_use]
pub fn pooled_constant_losses(
    federation: &Federation,
    family: Family,
    classes: usize,
    weights: &Weights,
) -> Vec<f64> {
    let agents = federation.agents();
    let rows = federation.design().rows() as f64;
    // An agent's rows count as much as its weight says, however many they are; one in the mean over all.
    let say =
        |(agent, weight): (&Agent, &f64)| weight / weights.total() * rows / agent.samples() as f64;
    let pooled: Vec<Observation> = agents
        .iter()
        .zip(weights.values())
        .flat_map(|pair| observations(federation, pair.0, say(pair)))
        .collect();
    let constant = |agent| {
        let rows = &observations(federation, agent, 1.0);
        family.visit(Constant { fitted: &pooled, rows, classes })
    };
    agents.iter().map(constant).collect()
}

/// What each agent can tell of its targets, so that the best common constant is known without them.
#[must_use]
pub fn target_summaries(
    federation: &Federation,
    family: Family,
    classes: usize,
) -> Vec<TargetSummary> {
    let told = |agent| TargetSummary::of(&observations(federation, agent, 1.0), family, classes);
    federation.agents().iter().map(told).collect()
}

/// An agent's rows without their features, each counting `say` times.
fn observations(federation: &Federation, agent: &Agent, say: f64) -> Vec<Observation> {
    let one_unless = |numbers: &[f64]| numbers.first().map_or(1.0, |number| *number);
    let row = |row: usize| Observation {
        target: federation.target()[row],
        weight: say * one_unless(federation.row_weights(row..row + 1)),
        exposure: one_unless(federation.exposure(row..row + 1)),
    };
    agent.rows.clone().map(row).collect()
}

struct Constant<'a> {
    fitted: &'a [Observation],
    rows: &'a [Observation],
    classes: usize,
}

impl FamilyVisitor for Constant<'_> {
    type Output = f64;

    fn one_margin<L: MarginLoss>(self) -> f64 {
        L::constant_loss(self.fitted, self.rows)
    }

    fn margin_per_class(self) -> f64 {
        cross_entropy(self.fitted, self.rows, self.classes)
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

    fn two_agents(target: &[f64]) -> Federation {
        let design = Design::dense(target.len(), 1, vec![1.0; target.len()]).unwrap();
        let agent = |name: &str, rows| Agent { name: name.to_owned(), rows };
        let agents = vec![agent("a", 0..1), agent("b", 1..target.len())];
        Federation::new(design, target.to_vec(), agents)
    }

    #[test]
    fn the_pooled_constant_goes_by_weights_and_not_by_rows() {
        // Means 0 and 3; with weights 1 and 2 the constant is 2: 4 for a, and 1 + 2/3 for b.
        let numbers = two_agents(&[0.0, 2.0, 3.0, 4.0]);
        let weights = Weights::new(vec![1.0, 2.0]).unwrap();
        let found = pooled_constant_losses(&numbers, Family::Linear, 0, &weights);
        assert_is(&found, 4.0);
        assert_is(&found[1..], 1.0 + 2.0 / 3.0);
        // Label 1 has shares of 1 and 1/3, and of 2/3 among both.
        let labels = two_agents(&[1.0, 0.0, 1.0, 0.0]);
        for family in [Family::Logistic, Family::Softmax] {
            let found = pooled_constant_losses(&labels, family, 2, &Weights::equal(2));
            assert_is(&found, 1.5_f64.ln());
            assert_is(&found[1..], 1.5_f64.ln() / 3.0 + 2.0 / 3.0 * 3_f64.ln());
        }
    }

    #[test]
    fn summaries_tell_what_the_pooled_constant_costs() {
        let weights = Weights::new(vec![0.3, 2.0]).unwrap();
        for (family, classes, target) in [
            (Family::Linear, 0, [0.5, -2.0, 3.25, 40.0]),
            (Family::Logistic, 2, [1.0, 0.0, 1.0, 0.0]),
            (Family::Softmax, 3, [2.0, 0.0, 1.0, 1.0]),
            (Family::Poisson, 0, [3.0, 0.0, 7.0, 1.0]),
        ] {
            let rows = two_agents(&target);
            let told = target_summaries(&rows, family, classes);
            let found = TargetSummary::common_constant_losses(&told, &weights).unwrap();
            let expected = pooled_constant_losses(&rows, family, classes, &weights);
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() <= 1e-13 * (1.0 + expected), "{family}: {found}");
            }
        }
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
