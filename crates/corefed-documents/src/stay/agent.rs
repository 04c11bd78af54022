//! What one agent has in each of its worlds.

use serde::{Deserialize, Serialize};

/// One agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StayAgent {
    /// Its name.
    pub name: String,
    /// Its say.
    pub weight: f64,
    /// The loss at which it gets nothing.
    pub ceiling: f64,
    /// Rows that it trains with.
    pub rows: usize,
    /// Rows that it is measured on.
    pub held_out: usize,
    /// Independent units among these: rows, or groups of rows.
    pub units: usize,
    /// Whether these are too few to say anything.
    pub few: bool,
    /// Whether all of its training rows are of one class.
    pub one_class: bool,
    /// Under the model of all.
    pub shared: Option<LossAndQuality>,
    /// Under its own model.
    pub alone: Option<LossAndQuality>,
    /// From the shared model to its own; absent where rows are too few.
    pub alone_gain: Option<GainLine>,
    /// The group, other than everybody, whose model suits it best.
    pub best: Option<BestGroup>,
}

/// A model on an agent's held-out rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LossAndQuality {
    /// Mean loss, without any ridge.
    pub loss: f64,
    /// Accuracy, R2 or explained deviance; absent where rows leave nothing to explain.
    pub quality: Option<f64>,
}

/// A gain with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GainLine {
    /// The mean over rows.
    pub mean: f64,
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
    /// Independent units that it rests on.
    pub units: usize,
}

/// The group that suits an agent best.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BestGroup {
    /// Its members.
    pub members: Vec<String>,
    /// Its model on all of the agent's held-out rows, those included that it was chosen by.
    pub measured: LossAndQuality,
    /// From the shared model to that of the group, on rows that it was not chosen by; absent where they are
    /// too few.
    pub gain: Option<GainLine>,
}
