//! Which rule, with which safeguards. Plain values, so that a spec, an engine and a Flower strategy
//! speak of the same thing.

use serde::{Deserialize, Serialize};

/// How the server turns a cohort's updates into a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Rule {
    /// The weighted mean of updates.
    Fedavg,
    /// Updates weighed by one over utility: log-welfare.
    Corefed {
        /// How long a step is.
        step: CoreStep,
    },
    /// Agents climb the log of their mini-batches' utility; the server averages.
    Propfair,
    /// Multipliers on the simplex follow the losses: min-max.
    Afl {
        /// Step of the multipliers, per nat of loss, > 0.
        gamma: f64,
    },
    /// Losses to the power `q` weigh, with the step of the q-FFL paper.
    Qffl {
        /// Exponent, >= 0; zero is FedAvg.
        q: f64,
    },
    /// Weights `exp(t loss)`, normalised.
    Term {
        /// Tilt per nat of loss; positive favours the worst off.
        t: f64,
    },
    /// The shortest convex combination of normalised updates.
    Fedmgda {
        /// How far multipliers may lie from equal ones, in [0, 1]; one is no limit.
        epsilon: f64,
    },
    /// Agents send losses, gradients and Hessians; the server takes Newton's step on log-welfare.
    Newton,
}

/// How long a step of CoreFed is; the direction is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoreStep {
    /// Algorithm 1 as printed: `(1/|C|) sum D_s / u_s`.
    Printed,
    /// Weights that sum to one: FedAvg's step length.
    Normalised,
    /// Divided by a bound on the curvature, so that it shrinks near a ceiling.
    Dynamic,
}

/// What happens to an agent whose loss is at or close to its ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AtCeiling {
    /// The log continues as a straight line below the floor.
    Floor,
    /// Weights are those of FedAvg until the whole cohort is above the floor.
    WarmUp,
    /// The agent's ceiling is raised, for good, until its utility reaches the floor.
    Raise,
}

/// Safeguards of the log, of weights and of updates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Safety {
    /// What to do below the floor.
    pub at_ceiling: AtCeiling,
    /// Smallest utility used as it is, as a fraction of the agent's ceiling, in (0, 1).
    pub floor: f64,
    /// No agent's pull exceeds this many times the smallest one's, weights aside; >= 1.
    pub weight_cap: f64,
    /// Longer updates are shortened to this norm, > 0; infinite: never.
    pub clip: f64,
}

impl Default for Safety {
    fn default() -> Self {
        Self { at_ceiling: AtCeiling::Floor, floor: 0.1, weight_cap: 100.0, clip: f64::INFINITY }
    }
}

/// What the server does with the combined update.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerStep {
    /// The combined update is multiplied by this, > 0.
    pub step: f64,
    /// Heavy-ball momentum over rounds, in [0, 1).
    pub momentum: f64,
}

impl Default for ServerStep {
    fn default() -> Self {
        Self { step: 1.0, momentum: 0.0 }
    }
}
