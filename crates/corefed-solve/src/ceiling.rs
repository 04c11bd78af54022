//! What ceilings of a table go by.

use corefed_core::{ReferenceLosses, WorstLoss};
use corefed_model::{ConvexLosses, FederationLosses, constant_losses, zero_losses};

/// Losses of a table's agents without training: at zero, under constants, and at worst.
pub struct TableReferences<'a> {
    /// The agents' losses.
    pub model: &'a FederationLosses<'a>,
    /// Proven worst losses on the ball; empty where nobody asks for them.
    pub worst: &'a [WorstLoss],
}

impl ReferenceLosses for TableReferences<'_> {
    fn names(&self) -> Vec<String> {
        self.model.federation().agents().iter().map(|agent| agent.name.clone()).collect()
    }

    fn initial(&self) -> Option<Vec<f64>> {
        Some(zero_losses(self.model))
    }

    fn constant(&self) -> Option<Vec<f64>> {
        let federation = self.model.federation();
        let blocks = self.model.dim() / federation.design().dim();
        Some(constant_losses(federation, self.model.family(), blocks))
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
            policy.resolve(&TableReferences { model: &model, worst: &worst })
        };

        assert_eq!(resolve(CeilingPolicy::Fixed(2.0)).unwrap(), [2.0, 2.0]);
        assert_eq!(resolve(CeilingPolicy::PerAgent(vec![1.0, 2.0])).unwrap(), [1.0, 2.0]);
        assert_eq!(resolve(CeilingPolicy::Worst).unwrap(), [3.0, 4.0]);
        for ceiling in resolve(CeilingPolicy::Initial(1.5)).unwrap() {
            assert!((ceiling - 1.5 * 2_f64.ln()).abs() < 1e-15);
        }
        // A constant predictor serves agent b perfectly, which leaves it no room.
        let refused = resolve(CeilingPolicy::Constant(1.5)).unwrap_err();
        assert_eq!(refused, CeilingError::NotPositive { agent: "b".into(), value: 0.0 });
    }
}
