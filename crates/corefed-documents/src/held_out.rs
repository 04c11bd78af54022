//! A model on rows that nobody trained on, beside every agent's own model there.

use corefed_core::Number;
use serde::{Deserialize, Serialize};

/// What a model gives on held-out rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeldOutAudit {
    /// What `quality` is: `accuracy`, `r2` or `explained deviance`.
    pub quality: String,
    /// The weighted sum of the logarithms of utilities; `null` unless every agent has held-out rows.
    pub log_welfare: Option<Number>,
    /// Everybody, in the order of the audit.
    pub agents: Vec<HeldOutAgent>,
}

/// One agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeldOutAgent {
    /// Its name.
    pub name: String,
    /// Held-out rows.
    pub rows: usize,
    /// Under the model; `null` without rows.
    pub model: Option<OnHeldOut>,
    /// Under the model that the agent fits alone; `null` without rows, and where that was not computed.
    pub alone: Option<OnHeldOut>,
}

/// One model on one agent's held-out rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OnHeldOut {
    /// Mean loss, with the ridge, as on training rows.
    pub loss: f64,
    /// Ceiling minus loss.
    pub utility: f64,
    /// Accuracy, R2 or explained deviance; `null` where rows leave nothing to explain.
    pub quality: Option<f64>,
}
