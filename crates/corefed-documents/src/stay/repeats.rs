//! The same question on several splits of the same rows.

use serde::{Deserialize, Serialize};

/// Averages over splits. Splits share rows, so their spread is not that of new rows, and no interval is made
/// of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Repeats {
    /// How many splits, the first included.
    pub splits: usize,
    /// Verdicts of the splits, each judged by itself.
    pub stable: usize,
    /// In how many somebody would leave.
    pub leave: usize,
    /// In how many neither was shown.
    pub open: usize,
    /// One entry per agent.
    pub agents: Vec<RepeatedAgent>,
    /// Groups whose members all gain on average: those first whose least gaining member gains most.
    pub tempted: Vec<RepeatedGroup>,
}

/// One agent over the splits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepeatedAgent {
    /// Its name.
    pub name: String,
    /// Loss of the shared model.
    pub shared: Option<Spread>,
    /// Loss of its own model.
    pub alone: Option<Spread>,
    /// Gain from the shared model to its own.
    pub gain: Option<Spread>,
}

/// One group over the splits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepeatedGroup {
    /// Its members.
    pub members: Vec<String>,
    /// What each gains over the shared model.
    pub gains: Vec<Spread>,
}

/// Mean and standard deviation over splits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
}
