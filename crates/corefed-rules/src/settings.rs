//! Safeguards and steps. Plain values, so that a spec, an engine and a Flower strategy speak of the
//! same thing.

use corefed_core::Range;
use serde::{Deserialize, Serialize};

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

impl CoreStep {
    /// Every length with its name in specs and Python.
    pub const NAMES: &[(&str, Self)] =
        &[("printed", Self::Printed), ("normalised", Self::Normalised), ("dynamic", Self::Dynamic)];

    /// Its name in specs and Python.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_in(Self::NAMES, &self)
    }
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

impl AtCeiling {
    /// Every policy with its name in specs and Python.
    pub const NAMES: &[(&str, Self)] =
        &[("floor", Self::Floor), ("warm-up", Self::WarmUp), ("raise", Self::Raise)];

    /// Its name in specs and Python.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_in(Self::NAMES, &self)
    }
}

/// The name of a value in a list that has them all.
fn name_in<T: PartialEq>(names: &[(&'static str, T)], value: &T) -> &'static str {
    names.iter().find(|(_, known)| known == value).map_or("", |(name, _)| name)
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
    /// No agent's share of a step exceeds this many times its fair share, that of its weight, nor half of the step
    /// (or one and a half times its fair share), where shares follow from reported losses; >= 1, infinite: never.
    pub share_cap: f64,
    /// Longer updates are shortened to this norm, > 0; infinite: never.
    pub clip: f64,
}

impl Safety {
    /// What [`floor`](Self::floor) may be.
    pub const FLOOR: Range = Range::open(0.0, 1.0);
    /// What [`weight_cap`](Self::weight_cap) may be.
    pub const WEIGHT_CAP: Range = Range::closed(1.0, f64::INFINITY);
    /// What [`share_cap`](Self::share_cap) may be.
    pub const SHARE_CAP: Range = Range::closed(1.0, f64::INFINITY);
    /// What [`clip`](Self::clip) may be.
    pub const CLIP: Range = Range::up_to(0.0, f64::INFINITY);

    /// Without any intervention that a user asked for.
    pub const DEFAULT: Self = Self {
        at_ceiling: AtCeiling::Floor,
        floor: 0.1,
        weight_cap: 100.0,
        share_cap: f64::INFINITY,
        clip: f64::INFINITY,
    };
}

impl Default for Safety {
    fn default() -> Self {
        Self::DEFAULT
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

impl ServerStep {
    /// What [`step`](Self::step) may be.
    pub const STEP: Range = Range::POSITIVE;
    /// What [`momentum`](Self::momentum) may be.
    pub const MOMENTUM: Range = Range::PART;

    /// The combined update as it is.
    pub const DEFAULT: Self = Self { step: 1.0, momentum: 0.0 };
}

impl Default for ServerStep {
    fn default() -> Self {
        Self::DEFAULT
    }
}
