//! What fairness costs some and gives others.

use serde::{Deserialize, Serialize};

use super::agent::{GainLine, LossAndQuality};

/// The fair rule beside plain averaging, both trained by everybody.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PriceOfFairness {
    /// The fair rule.
    pub fair: String,
    /// What it is compared with.
    pub plain: String,
    /// One entry per agent.
    pub agents: Vec<PriceLine>,
}

/// What fairness means for one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PriceLine {
    /// Its name.
    pub name: String,
    /// Under the fair model.
    pub fair: Option<LossAndQuality>,
    /// Under the plain one.
    pub plain: Option<LossAndQuality>,
    /// Loss under the plain model minus loss under the fair one: negative where fairness costs. Absent where
    /// rows are too few.
    pub gain: Option<GainLine>,
}
