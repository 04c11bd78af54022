//! What was tried before rules were compared.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How settings were chosen, rule by rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tuning {
    /// At most this many settings per rule.
    pub budget: usize,
    /// `each`: every seed chooses by rows of its own; `first`: the first chooses for all.
    pub seeds: String,
    /// Everything that was tried, in the order of rules.
    pub rules: Vec<TunedRule>,
}

/// What was tried for one rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TunedRule {
    /// Its label.
    pub rule: String,
    /// Keys of the grid that mean something to it.
    pub keys: Vec<String>,
    /// How many settings its grid has.
    pub grid: usize,
    /// How many of them were tried from a seed that chose; fewer than `grid` were drawn at random.
    pub tried: usize,
    /// One entry per setting and seed.
    pub tries: Vec<Try>,
}

/// One setting from one seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Try {
    /// The seed.
    pub seed: u64,
    /// Values by key.
    pub setting: Map<String, Value>,
    /// Floored log-welfare of the model that was kept, on rows to choose by; absent if there is no model.
    pub validation_welfare: Option<f64>,
    /// Why there is no model.
    pub failure: Option<String>,
    /// Whether the comparison rests on this one.
    pub chosen: bool,
}
