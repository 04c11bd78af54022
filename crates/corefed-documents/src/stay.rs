//! `stay.json`: is the shared model worth staying for, on rows that nobody trained on?

mod agent;
mod contribution;
mod group;
mod price;
mod repeats;
mod what_if;

use serde::{Deserialize, Serialize};

pub use agent::{BestGroup, GainLine, LossAndQuality, StayAgent};
pub use contribution::{BalancedGroup, ContributionLine, Contributions, Estimate, PartitionLines};
pub use group::{FailedGroup, KeptGroups, LeavingGroup, LeavingMember, StayGroup};
pub use price::{PriceLine, PriceOfFairness};
pub use repeats::{RepeatedAgent, RepeatedGroup, Repeats, Spread};
pub use what_if::{WhatIf, WhatIfLine, WhatIfQuestion};

use crate::Document;

/// The answer of `corefed stay`.
///
/// A *gain* is everywhere the mean, over an agent's held-out rows, of one model's loss minus another's:
/// positive where the second is better for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stay {
    /// Whether anybody would leave.
    pub verdict: StayVerdict,
    /// What the models are.
    pub models: StayModels,
    /// Which rows they are measured on.
    pub held_out: StayHeldOut,
    /// How sure statements are.
    pub claims: StayClaims,
    /// One entry per agent.
    pub agents: Vec<StayAgent>,
    /// The groups that would leave, with their evidence; empty unless the verdict says so.
    pub leaving: Vec<LeavingGroup>,
    /// The group that comes closest to leaving, on the rows that it was tested on.
    pub tempted: Option<LeavingGroup>,
    /// What is known of groups that would not leave.
    pub kept: KeptGroups,
    /// Groups whose training failed: nothing is known of them.
    pub failed: Vec<FailedGroup>,
    /// Who should train with whom; absent for more agents than are partitioned.
    pub partitions: Option<PartitionLines>,
    /// What each agent brings.
    pub contributions: Contributions,
    /// Answers to what was asked.
    pub what_if: Vec<WhatIf>,
    /// What fairness costs some and gives others.
    pub price: Option<PriceOfFairness>,
    /// Why there is no `price`.
    pub no_price: Option<String>,
    /// Averages over several splits; absent where there was one.
    pub repeats: Option<Repeats>,
    /// Every group that was trained, everybody included, by size and then in the order of agents.
    pub groups: Vec<StayGroup>,
    /// What the statements rest on.
    pub rests_on: Vec<String>,
}

impl Document for Stay {
    const KIND: &'static str = "stay";
    const VERSION: u64 = 1;
}

/// Whether anybody would leave the shared model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum StayVerdict {
    /// Every group has a member that does not gain more than the margin: shown, at the level.
    Stable,
    /// All members of a group gain: shown, at the level.
    Leave,
    /// Neither was shown.
    Open,
}

/// What the models are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StayModels {
    /// The data.
    pub file: String,
    /// SHA-256 of the rows that were trained on.
    pub digest: String,
    /// The column of owners, as the consortium calls its members; empty where a partition says who owns what.
    pub owner: String,
    /// The model.
    pub model: String,
    /// Its loss, in words.
    pub loss: String,
    /// What `quality` is: `accuracy`, `r2`, or `explained deviance`.
    pub quality: String,
    /// The rule that every group trains by.
    pub rule: String,
    /// Whether models are optima of the rule rather than trained by rounds.
    pub exact: bool,
    /// Seed of everything that is drawn.
    pub seed: u64,
}

/// Which rows models are measured on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StayHeldOut {
    /// `rows`, `group:COLUMN` or `time:COLUMN`.
    pub by: String,
    /// Share of every agent's rows.
    pub share: f64,
}

/// How sure statements are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StayClaims {
    /// Of every interval and every verdict.
    pub level: f64,
    /// The part of its loss that an agent may gain by leaving and still counts as staying.
    pub margin: f64,
    /// Fewer independent rows, or groups of rows, than this say nothing.
    pub support: usize,
}
