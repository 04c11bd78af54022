//! What each agent brings, and who should train with whom.

use serde::{Deserialize, Serialize};

/// What each agent brings, from what every group saves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Contributions {
    /// What a group is worth, in words.
    pub value: String,
    /// What everybody together is worth; absent where somebody has no rows to be measured on.
    pub everybody: Option<f64>,
    /// One entry per agent.
    pub agents: Vec<ContributionLine>,
    /// The excess of the least core: positive if no payments keep every group. Absent where not all groups
    /// are known.
    pub excess: Option<f64>,
    /// Groups and weights that prove the excess: they cover every agent equally.
    pub proof: Vec<BalancedGroup>,
    /// Why something is missing.
    pub open: Option<String>,
}

/// What one agent brings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContributionLine {
    /// Its name.
    pub name: String,
    /// What it saves itself by the shared model, by weight.
    pub saves: Option<Estimate>,
    /// What everybody would miss without it.
    pub leave_one_out: Option<Estimate>,
    /// Its Shapley value.
    pub shapley: Option<Estimate>,
    /// Its Banzhaf value.
    pub banzhaf: Option<Estimate>,
    /// Its share of what everybody saves by the least core. What it saves itself minus this is what it pays.
    pub payment: Option<f64>,
}

/// A number with the interval of its noise: that of held-out rows, or of drawing where groups were drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// The ends of its interval; absent where some agent has too few rows for one.
    pub interval: Option<(f64, f64)>,
}

/// A group in a balanced collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BalancedGroup {
    /// Its members.
    pub members: Vec<String>,
    /// Its weight.
    pub weight: f64,
}

/// Partitions that no group would leave, as measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartitionLines {
    /// How many there are if every difference counts.
    pub count: usize,
    /// The first of them, groups by name, the one with the least mean loss first.
    pub stable: Vec<Vec<Vec<String>>>,
    /// How many there are if gains up to the margin count as ties.
    pub within_margin: usize,
    /// Whether everybody together is among the first.
    pub everybody: bool,
    /// Whether everybody together is among the second.
    pub everybody_within_margin: bool,
}
