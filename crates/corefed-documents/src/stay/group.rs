//! What is known of groups.

use serde::{Deserialize, Serialize};

use super::agent::GainLine;

/// A group that was trained, measured on everybody's held-out rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StayGroup {
    /// Indices of its members, ascending.
    pub members: Vec<usize>,
    /// Mean loss by agent; absent for agents without held-out rows.
    pub loss: Vec<Option<f64>>,
    /// Quality by agent.
    pub quality: Vec<Option<f64>>,
    /// Gain over the shared model by agent.
    pub gain: Vec<Option<f64>>,
    /// Standard error of the gain.
    pub error: Vec<Option<f64>>,
}

/// A group whose training failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailedGroup {
    /// Its members.
    pub members: Vec<String>,
    /// Why.
    pub reason: String,
}

/// A group that would leave, or comes closest to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeavingGroup {
    /// What each member gains, on rows that the group was not chosen by.
    pub members: Vec<LeavingMember>,
    /// How often gains like these would be seen if some member gained nothing.
    pub p: f64,
}

/// A member of a group that may leave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeavingMember {
    /// Its name.
    pub name: String,
    /// From the shared model to the group's own. The lower end is one-sided: it is above zero as often as
    /// the level says where there is a gain at all. Absent where rows are too few.
    pub gain: Option<GainLine>,
}

/// What is known of groups that would not leave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeptGroups {
    /// Groups that were trained, everybody and failures excluded.
    pub looked_at: usize,
    /// Whether these are all that there are.
    pub all: bool,
    /// Groups that have a member which gains no more than the margin: shown for each, at the level.
    pub kept: usize,
    /// Of the others, those that come closest to leaving, by name.
    pub open: Vec<Vec<String>>,
}
