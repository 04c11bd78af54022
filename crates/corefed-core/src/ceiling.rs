//! Ceilings: the loss at which an agent gets nothing, by policy.

use thiserror::Error;

/// Squares of ceilings, and products with weights, must not overflow.
pub const LARGEST_CEILING: f64 = 1e150;
/// One over a ceiling, and over its square, must not overflow either.
pub const SMALLEST_CEILING: f64 = 1e-150;

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
    /// This factor times the agent's loss under the constant that suits everybody best together, by weight
    /// (ledger E62).
    PooledConstant(f64),
    /// This factor times the larger of two (ledger E71): the agent's loss under that constant, and everybody's
    /// on average. Agents whose targets are close to the common mean anyway then have no veto.
    Baseline(f64),
    /// This factor times the loss of the model that the agent would fit alone, on rows that it did not fit
    /// (ledger E63). With a factor of one, utility is the gain over staying alone.
    Alone(f64),
    /// The provable worst loss on the ball: the premise of the paper's theorem then holds.
    Worst,
}

/// What agents lose without each other, as far as it is known; one number per agent, in order.
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

    /// The loss of each under the constant prediction that suits all of them best together, by weight.
    fn pooled_constant(&self) -> Option<Vec<f64>> {
        None
    }

    /// The loss of each under the model that it would fit alone.
    fn alone(&self) -> Option<AloneLosses> {
        None
    }

    /// Proven worst losses on the ball (ledger E15).
    fn worst(&self) -> Option<Vec<f64>> {
        None
    }
}

/// What agents lose under models of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct AloneLosses {
    /// By agent; `None` for an agent without rows to measure on.
    pub losses: Vec<Option<f64>>,
    /// Whether they are measured on rows that nobody fitted.
    pub held_out: bool,
}

/// Why there are no ceilings.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CeilingError {
    /// A ceiling that leaves no room for a utility.
    #[error("the ceiling of agent `{agent}` is `{value}`; ceilings must lie in [1e-150, 1e150]")]
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
    /// On the rows that it fitted nobody beats its own model.
    #[error(
        "the ceiling is `alone:{factor}`, but no rows are held out: on its training rows no agent \
         loses less than with its own model, so nobody could have a positive utility"
    )]
    AloneOnTraining {
        /// What own losses are multiplied by.
        factor: f64,
    },
    /// An own model that cannot be measured.
    #[error("ceilings go by held-out losses, and agent `{agent}` has no rows held out")]
    NothingHeldOut {
        /// Name of the agent.
        agent: String,
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
    /// Under the constant that suits everybody best.
    #[error("losses of the best common constant prediction")]
    PooledConstant,
    /// Under each agent's own model.
    #[error("losses of the agents' own models")]
    Alone,
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
            Self::AloneOnTraining { .. } => {
                "hold rows out (`held_out = 0.2` in a spec), or choose a factor above one, such as `alone:1.5`"
            }
            Self::NothingHeldOut { .. } => {
                "hold out a larger share of rows, or choose another `ceiling`, such as `initial:1.5`"
            }
            Self::Count { .. } => "give one ceiling per agent",
        }
    }
}

impl CeilingPolicy {
    /// What its references are multiplied by.
    #[must_use]
    pub fn factor(&self) -> f64 {
        match *self {
            Self::Fixed(factor)
            | Self::Initial(factor)
            | Self::Constant(factor)
            | Self::PooledConstant(factor)
            | Self::Baseline(factor)
            | Self::Alone(factor) => factor,
            Self::PerAgent(_) | Self::Worst => 1.0,
        }
    }

    /// The losses that it goes by; `None` for numbers.
    #[must_use]
    pub fn reference(&self) -> Option<Reference> {
        match self {
            Self::Fixed(_) | Self::PerAgent(_) => None,
            Self::Initial(_) => Some(Reference::Initial),
            Self::Constant(_) => Some(Reference::Constant),
            Self::PooledConstant(_) | Self::Baseline(_) => Some(Reference::PooledConstant),
            Self::Alone(_) => Some(Reference::Alone),
            Self::Worst => Some(Reference::Worst),
        }
    }

    /// Refuses a share of own models' losses where these are of the rows that were fitted: nobody beats its own
    /// model there.
    pub fn check_measured(&self, held_out: bool) -> Result<(), CeilingError> {
        match *self {
            Self::Alone(factor) if !held_out && factor <= 1.0 => {
                Err(CeilingError::AloneOnTraining { factor })
            }
            _ => Ok(()),
        }
    }

    /// What its factor multiplies, by agent, each positive: a ceiling is the one times the other.
    pub fn references(&self, losses: &impl ReferenceLosses) -> Result<Vec<f64>, CeilingError> {
        let names = losses.names();
        let Some(what) = self.reference() else {
            let ones = || vec![1.0; names.len()];
            let told = if let Self::PerAgent(values) = self { values.clone() } else { ones() };
            return positive(&names, told);
        };
        let found = match what {
            Reference::Initial => losses.initial(),
            Reference::Constant => losses.constant(),
            Reference::PooledConstant => losses.pooled_constant(),
            Reference::Worst => losses.worst(),
            Reference::Alone => Some(own_models(losses)?.measured(names.clone())?),
        };
        let found = found.ok_or(CeilingError::NotKnown { what })?;
        positive(&names, if matches!(self, Self::Baseline(_)) { baseline(found) } else { found })
    }

    /// The ceiling of every agent, for tables, images and federations elsewhere alike.
    pub fn resolve(&self, losses: &impl ReferenceLosses) -> Result<Vec<f64>, CeilingError> {
        let names = losses.names();
        let references = match self {
            Self::Alone(_) => {
                let found = own_models(losses)?;
                self.check_measured(found.held_out)?;
                found.measured(names.clone())?
            }
            _ => self.references(losses)?,
        };
        let ceilings = references.into_iter().map(|loss| self.factor() * loss).collect();
        positive(&names, ceilings)
    }
}

/// No loss below the average of all.
fn baseline(losses: Vec<f64>) -> Vec<f64> {
    let mean = losses.iter().sum::<f64>() / losses.len() as f64;
    losses.into_iter().map(|loss| loss.max(mean)).collect()
}

/// One positive number for everybody.
fn positive(names: &[String], ceilings: Vec<f64>) -> Result<Vec<f64>, CeilingError> {
    if ceilings.len() != names.len() {
        return Err(CeilingError::Count { found: ceilings.len(), agents: names.len() });
    }
    let bad = |value: &f64| !(SMALLEST_CEILING..=LARGEST_CEILING).contains(value);
    match ceilings.iter().position(bad) {
        Some(k) => Err(CeilingError::NotPositive { agent: names[k].clone(), value: ceilings[k] }),
        None => Ok(ceilings),
    }
}

/// Losses of own models, if anybody knows them.
fn own_models(losses: &impl ReferenceLosses) -> Result<AloneLosses, CeilingError> {
    losses.alone().ok_or(CeilingError::NotKnown { what: Reference::Alone })
}

impl AloneLosses {
    /// A number for everybody.
    fn measured(self, names: Vec<String>) -> Result<Vec<f64>, CeilingError> {
        let own = |(agent, loss): (String, Option<f64>)| {
            loss.ok_or(CeilingError::NothingHeldOut { agent })
        };
        names.into_iter().zip(self.losses).map(own).collect()
    }
}

#[cfg(test)]
mod tests;
