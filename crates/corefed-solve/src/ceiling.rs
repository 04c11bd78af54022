//! Ceilings: the loss at which an agent gets nothing, by policy.

use corefed_core::WorstLoss;
use corefed_model::{ConvexLosses, FederationLosses, constant_losses, zero_losses};
use thiserror::Error;

/// How `M_i` is chosen. It decides everything: large ceilings approach FedAvg and make the core
/// vacuous, ceilings close to the losses approach min-max.
#[derive(Clone, Debug, PartialEq)]
pub enum CeilingPolicy {
    /// The same number for everybody.
    Fixed(f64),
    /// One number per agent, in agent order.
    PerAgent(Vec<f64>),
    /// This factor times the agent's loss under the zero predictor.
    Initial(f64),
    /// This factor times the agent's loss under its own best constant predictor.
    Constant(f64),
    /// The provable worst loss on the ball: the premise of the paper's theorem then holds.
    Worst,
}

/// A ceiling that leaves no room for a utility.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("the ceiling of agent `{agent}` is `{value}`; ceilings must be positive and finite")]
pub struct CeilingError {
    /// Name of the agent.
    pub agent: String,
    /// The ceiling that the policy gives it.
    pub value: f64,
}

impl CeilingPolicy {
    /// The ceiling of every agent; `worst` holds proven worst losses on the ball (ledger E15).
    pub fn resolve(
        &self,
        model: &FederationLosses<'_>,
        worst: &[WorstLoss],
    ) -> Result<Vec<f64>, CeilingError> {
        let agents = model.federation().agents();
        let scaled = |factor: f64, losses: Vec<f64>| {
            losses.into_iter().map(|loss| factor * loss).collect::<Vec<_>>()
        };
        let ceilings = match self {
            Self::Fixed(value) => vec![*value; agents.len()],
            Self::PerAgent(values) => values.clone(),
            Self::Initial(factor) => scaled(*factor, zero_losses(model)),
            Self::Constant(factor) => {
                let federation = model.federation();
                let blocks = model.dim() / federation.design().dim();
                scaled(*factor, constant_losses(federation, model.family(), blocks))
            }
            Self::Worst => worst.iter().map(|worst| worst.bound).collect(),
        };
        let bad = |value: &f64| !(*value > 0.0 && value.is_finite());
        match ceilings.iter().position(bad) {
            Some(k) => Err(CeilingError { agent: agents[k].name.clone(), value: ceilings[k] }),
            None => Ok(ceilings),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use corefed_core::Family;
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
        let resolve = |policy: CeilingPolicy| policy.resolve(&model, &worst);

        assert_eq!(resolve(CeilingPolicy::Fixed(2.0)).unwrap(), [2.0, 2.0]);
        assert_eq!(resolve(CeilingPolicy::PerAgent(vec![1.0, 2.0])).unwrap(), [1.0, 2.0]);
        assert_eq!(resolve(CeilingPolicy::Worst).unwrap(), [3.0, 4.0]);
        for ceiling in resolve(CeilingPolicy::Initial(1.5)).unwrap() {
            assert!((ceiling - 1.5 * 2_f64.ln()).abs() < 1e-15);
        }
        // A constant predictor serves agent b perfectly, which leaves it no room.
        let refused = resolve(CeilingPolicy::Constant(1.5)).unwrap_err();
        assert_eq!((refused.agent.as_str(), refused.value), ("b", 0.0));
    }
}
