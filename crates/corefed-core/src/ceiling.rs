//! Ceilings: the loss at which an agent gets nothing, by policy.

use thiserror::Error;

/// How `M_i` is chosen. It decides everything: large ceilings approach FedAvg and make the core
/// vacuous, ceilings close to the losses approach min-max.
#[derive(Clone, Debug, PartialEq)]
pub enum CeilingPolicy {
    /// The same number for everybody.
    Fixed(f64),
    /// One number per agent, in agent order.
    PerAgent(Vec<f64>),
    /// This factor times the agent's loss under the first model, the zero predictor of a table.
    Initial(f64),
    /// This factor times the agent's loss under its own best constant predictor.
    Constant(f64),
    /// The provable worst loss on the ball: the premise of the paper's theorem then holds.
    Worst,
}

/// What agents lose without any training, as far as it is known; one number per agent, in order.
///
/// ```
/// use corefed_core::{CeilingPolicy, ReferenceLosses};
///
/// struct Told;
///
/// impl ReferenceLosses for Told {
///     fn names(&self) -> Vec<String> {
///         vec!["north".into(), "south".into()]
///     }
///     fn initial(&self) -> Option<Vec<f64>> {
///         Some(vec![0.5, 2.0])
///     }
/// }
///
/// assert_eq!(CeilingPolicy::Initial(1.5).resolve(&Told).unwrap(), [0.75, 3.0]);
/// assert!(CeilingPolicy::Worst.resolve(&Told).is_err());
/// ```
pub trait ReferenceLosses {
    /// The agents.
    fn names(&self) -> Vec<String>;

    /// Losses under the first model.
    fn initial(&self) -> Option<Vec<f64>> {
        None
    }

    /// The loss of each under the constant prediction that suits it best.
    fn constant(&self) -> Option<Vec<f64>> {
        None
    }

    /// Proven worst losses on the ball (ledger E15).
    fn worst(&self) -> Option<Vec<f64>> {
        None
    }
}

/// Why there are no ceilings.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CeilingError {
    /// A ceiling that leaves no room for a utility.
    #[error("the ceiling of agent `{agent}` is `{value}`; ceilings must be positive and finite")]
    NotPositive {
        /// Name of the agent.
        agent: String,
        /// The ceiling that the policy gives it.
        value: f64,
    },
    /// Losses that the policy multiplies and nobody knows here.
    #[error("ceilings go by {what}, which nobody knows here")]
    NotKnown {
        /// Which losses.
        what: Reference,
    },
    /// Too few or too many ceilings.
    #[error("there are {found} ceilings of {agents} agents")]
    Count {
        /// How many ceilings.
        found: usize,
        /// How many agents.
        agents: usize,
    },
}

/// Losses that ceilings go by.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Reference {
    /// Under the first model.
    #[error("losses at the first model")]
    Initial,
    /// Under each agent's best constant.
    #[error("losses of the best constant predictions")]
    Constant,
    /// The largest on the ball.
    #[error("the largest losses of the model")]
    Worst,
}

impl CeilingError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotPositive { .. } => "choose another `ceiling`, such as `initial:1.5`",
            Self::NotKnown { .. } => "choose a number, or `initial:1.5`",
            Self::Count { .. } => "give one ceiling per agent",
        }
    }
}

impl CeilingPolicy {
    /// The ceiling of every agent, for tables, images and federations elsewhere alike.
    pub fn resolve(&self, losses: &impl ReferenceLosses) -> Result<Vec<f64>, CeilingError> {
        let names = losses.names();
        let scaled = |factor: f64, losses: Option<Vec<f64>>, what: Reference| {
            let losses = losses.ok_or(CeilingError::NotKnown { what })?;
            Ok(losses.into_iter().map(|loss| factor * loss).collect::<Vec<_>>())
        };
        let ceilings = match self {
            Self::Fixed(value) => vec![*value; names.len()],
            Self::PerAgent(values) => values.clone(),
            Self::Initial(factor) => scaled(*factor, losses.initial(), Reference::Initial)?,
            Self::Constant(factor) => scaled(*factor, losses.constant(), Reference::Constant)?,
            Self::Worst => scaled(1.0, losses.worst(), Reference::Worst)?,
        };
        if ceilings.len() != names.len() {
            return Err(CeilingError::Count { found: ceilings.len(), agents: names.len() });
        }
        let bad = |value: &f64| !(*value > 0.0 && value.is_finite());
        match ceilings.iter().position(bad) {
            Some(k) => {
                Err(CeilingError::NotPositive { agent: names[k].clone(), value: ceilings[k] })
            }
            None => Ok(ceilings),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known(Option<[f64; 2]>);

    impl ReferenceLosses for Known {
        fn names(&self) -> Vec<String> {
            vec!["a".to_owned(), "b".to_owned()]
        }

        fn initial(&self) -> Option<Vec<f64>> {
            self.0.map(Vec::from)
        }
    }

    #[test]
    fn numbers_are_taken_and_losses_are_multiplied() {
        let known = Known(Some([0.5, 2.0]));
        assert_eq!(CeilingPolicy::Fixed(2.0).resolve(&known).unwrap(), [2.0, 2.0]);
        assert_eq!(CeilingPolicy::PerAgent(vec![1.0, 2.0]).resolve(&known).unwrap(), [1.0, 2.0]);
        assert_eq!(CeilingPolicy::Initial(3.0).resolve(&known).unwrap(), [1.5, 6.0]);
    }

    #[test]
    fn what_nobody_knows_is_named() {
        let unknown = Known(None);
        for (policy, what) in [
            (CeilingPolicy::Initial(1.0), Reference::Initial),
            (CeilingPolicy::Constant(1.0), Reference::Constant),
            (CeilingPolicy::Worst, Reference::Worst),
        ] {
            assert_eq!(policy.resolve(&unknown), Err(CeilingError::NotKnown { what }));
        }
    }

    #[test]
    fn ceilings_without_room_are_refused_by_name() {
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let refused = CeilingPolicy::PerAgent(vec![1.0, value]).resolve(&Known(None));
            let Err(CeilingError::NotPositive { agent, .. }) = refused else {
                panic!("{refused:?}")
            };
            assert_eq!(agent, "b");
        }
        let short = CeilingPolicy::PerAgent(vec![1.0]).resolve(&Known(None));
        assert_eq!(short, Err(CeilingError::Count { found: 1, agents: 2 }));
    }
}
