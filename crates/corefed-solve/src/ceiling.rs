//! What ceilings of a table go by.

use corefed_core::{AloneLosses, ReferenceLosses, Weights, WorstLoss};
use corefed_data::Federation;
use corefed_model::{
    ConvexLosses, FederationLosses, constant_losses, pooled_constant_losses, zero_losses,
};

use crate::{Ball, own_models};

/// Losses of a table's agents without each other: at zero, under constants, under own models, and at worst.
pub struct TableReferences<'a> {
    /// The agents' losses.
    pub model: &'a FederationLosses<'a>,
    /// The say of each agent.
    pub weights: &'a Weights,
    /// Of the ball that own models lie in, too.
    pub radius: f64,
    /// Rows that nobody trains on, by the same names of agents.
    pub held_out: Option<&'a Federation>,
    /// Proven worst losses on the ball; empty where nobody asks for them.
    pub worst: &'a [WorstLoss],
}

impl TableReferences<'_> {
    /// Classes as families count them; they matter to softmax only, which has a block for each.
    fn classes(&self) -> usize {
        self.model.dim() / self.model.federation().design().dim()
    }
}

impl ReferenceLosses for TableReferences<'_> {
    fn names(&self) -> Vec<String> {
        self.model.federation().agents().iter().map(|agent| agent.name.clone()).collect()
    }

    fn initial(&self) -> Option<Vec<f64>> {
        Some(zero_losses(self.model))
    }

    fn constant(&self) -> Option<Vec<f64>> {
        Some(constant_losses(self.model.federation(), self.model.family(), self.classes()))
    }

    fn pooled_constant(&self) -> Option<Vec<f64>> {
        let (federation, family) = (self.model.federation(), self.model.family());
        Some(pooled_constant_losses(federation, family, self.classes(), self.weights))
    }

    /// On held-out rows where there are some, by name: an agent may have none (ledger E63).
    fn alone(&self) -> Option<AloneLosses> {
        let own = own_models(self.model, &Ball::about_zero(self.model.dim(), self.radius));
        let Some(rows) = self.held_out else {
            let losses = own.iter().map(|own| Some(own.losses[0])).collect();
            return Some(AloneLosses { losses, held_out: false });
        };
        let measured =
            FederationLosses::new(rows, self.model.family(), self.classes(), self.model.l2());
        let loss = |(name, own): (String, &crate::Minimum)| {
            let agent = rows.agents().iter().position(|agent| agent.name == name)?;
            let mut loss = [0.0];
            measured.losses(&own.params, &[agent], &mut loss);
            Some(loss[0])
        };
        let losses = self.names().into_iter().zip(&own).map(loss).collect();
        Some(AloneLosses { losses, held_out: true })
    }

    fn worst(&self) -> Option<Vec<f64>> {
        Some(self.worst.iter().map(|worst| worst.bound).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use corefed_core::{CeilingError, CeilingPolicy, Family};
    use corefed_data::{Agent, Design, Federation};
    use proptest::prelude::{prop_assert, prop_assert_ne, proptest};

    #[test]
    fn policies_scale_what_they_name() {
        // Labels 0 0 0 1 and 1 1: entropies of 1/4 and of certainty.
        let target = vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        let agents =
            vec![Agent { name: "a".into(), rows: 0..4 }, Agent { name: "b".into(), rows: 4..6 }];
        let design = Design::dense(6, 1, vec![1.0; 6]).unwrap();
        let federation = Federation::new(design, target, agents);
        let model = FederationLosses::new(&federation, Family::Logistic, 2, 0.0);
        let worst = [3.0, 4.0].map(|bound| WorstLoss { bound, multiplier: None });
        let resolve = |policy: CeilingPolicy| {
            policy.resolve(&TableReferences {
                model: &model,
                weights: &Weights::equal(2),
                radius: 10.0,
                held_out: None,
                worst: &worst,
            })
        };

        assert_eq!(resolve(CeilingPolicy::Fixed(2.0)).unwrap(), [2.0, 2.0]);
        assert_eq!(resolve(CeilingPolicy::PerAgent(vec![1.0, 2.0])).unwrap(), [1.0, 2.0]);
        assert_eq!(resolve(CeilingPolicy::Worst).unwrap(), [3.0, 4.0]);
        for ceiling in resolve(CeilingPolicy::Initial(1.5)).unwrap() {
            assert!((ceiling - 1.5 * 2_f64.ln()).abs() < 1e-15);
        }
        // Label 1 has a share of 1/4 at a and of 1 at b, so of 5/8 among both.
        let pooled = resolve(CeilingPolicy::PooledConstant(2.0)).unwrap();
        let at_a = -2.0 * (0.75 * 0.375_f64.ln() + 0.25 * 0.625_f64.ln());
        assert!(
            (pooled[0] - at_a).abs() < 1e-15 && (pooled[1] + 2.0 * 0.625_f64.ln()).abs() < 1e-15
        );
        // A constant predictor serves agent b perfectly, which leaves it no room.
        let refused = resolve(CeilingPolicy::Constant(1.5)).unwrap_err();
        assert_eq!(refused, CeilingError::NotPositive { agent: "b".into(), value: 0.0 });
    }

    /// One column of ones: the fit of an agent is the mean of its targets.
    fn means(target: &[f64], rows: [usize; 2]) -> Federation {
        let design = Design::dense(target.len(), 1, vec![1.0; target.len()]).unwrap();
        let agents = vec![
            Agent { name: "a".into(), rows: 0..rows[0] },
            Agent { name: "b".into(), rows: rows[0]..rows[0] + rows[1] },
        ];
        Federation::new(design, target.to_vec(), agents)
    }

    #[test]
    fn own_models_are_judged_on_rows_held_out() {
        // Means 1 and 4 of the training rows; a's is 2 and 0 away from held-out targets, b's 1.
        let (train, kept) = (means(&[0.0, 2.0, 4.0], [2, 1]), means(&[3.0, 1.0, 5.0], [2, 1]));
        let model = FederationLosses::new(&train, Family::Linear, 0, 0.0);
        let weights = Weights::equal(2);
        let references = |held_out| TableReferences {
            model: &model,
            weights: &weights,
            radius: 10.0,
            held_out,
            worst: &[],
        };
        let found = CeilingPolicy::Alone(1.5).resolve(&references(Some(&kept))).unwrap();
        assert!((found[0] - 3.0).abs() < 1e-9 && (found[1] - 1.5).abs() < 1e-9, "{found:?}");
        // On training rows: a loses 1, and b nothing, which leaves it no room.
        let trained = references(None).alone().unwrap();
        let [Some(a), Some(b)] = trained.losses[..] else { panic!("{trained:?}") };
        assert!((a - 1.0).abs() < 1e-9 && b.abs() < 1e-9 && !trained.held_out, "{trained:?}");
        assert_eq!(
            CeilingPolicy::Alone(1.0).resolve(&references(None)),
            Err(CeilingError::AloneOnTraining { factor: 1.0 })
        );
        // In a smaller ball an own model is held back as the shared one is: 2 instead of 4.
        let held_back = TableReferences { radius: 2.0, ..references(Some(&kept)) };
        let found = CeilingPolicy::Alone(1.0).resolve(&held_back).unwrap();
        assert!((found[1] - 9.0).abs() < 1e-6, "{found:?}");
    }

    proptest! {
        /// Adding a number to everybody's targets moves the best common constant along and no loss with it;
        /// the zero predictor's loss changes.
        #[test]
        fn the_pooled_constant_does_not_see_a_shift_of_the_target(
            target in proptest::collection::vec(-10.0..10.0_f64, 5),
            weights in proptest::collection::vec(0.1..10.0_f64, 2),
            shift in 20.0..1000.0_f64,
        ) {
            let weights = Weights::new(weights).unwrap();
            let shifted: Vec<f64> = target.iter().map(|y| y + shift).collect();
            let of = |target: &[f64], policy: CeilingPolicy| {
                let rows = means(target, [2, 3]);
                let model = FederationLosses::new(&rows, Family::Linear, 0, 0.0);
                let (weights, radius, held_out) = (&weights, 10.0, None);
                let known = TableReferences { model: &model, weights, radius, held_out, worst: &[] };
                policy.references(&known).unwrap()
            };
            let policy = CeilingPolicy::PooledConstant(1.0);
            for (before, after) in of(&target, policy.clone()).iter().zip(of(&shifted, policy)) {
                prop_assert!((before - after).abs() <= 1e-10 * (1.0 + shift), "{before} {after}");
            }
            let policy = CeilingPolicy::Initial(1.0);
            prop_assert_ne!(of(&target, policy.clone()), of(&shifted, policy));
        }

        /// The best common constant is one model for everybody, so any factor above one can be served.
        #[test]
        fn above_one_the_pooled_constant_serves_everybody(
            target in proptest::collection::vec(-3.0..3.0_f64, 5),
            weights in proptest::collection::vec(0.1..10.0_f64, 2),
            factor in 1.01..3.0_f64,
        ) {
            let weights = Weights::new(weights).unwrap();
            let rows = means(&target, [2, 3]);
            let model = FederationLosses::new(&rows, Family::Linear, 0, 0.0);
            let known = TableReferences {
                model: &model, weights: &weights, radius: 10.0, held_out: None, worst: &[],
            };
            for policy in [CeilingPolicy::PooledConstant(factor), CeilingPolicy::Baseline(factor)] {
                let ceilings = policy.resolve(&known).unwrap();
                let problem = crate::Problem::new(&model, ceilings, weights.clone(), 10.0);
                prop_assert!(crate::solve(&problem, crate::Rule::Core, 1e-8).is_ok());
            }
        }
    }
}
