//! What happened to whom in a round, so that nothing is done in silence.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An agent that was left out of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    /// Index the agent reported under.
    pub agent: usize,
    /// Why.
    pub reason: Reason,
}

/// Why an agent was left out.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// No such agent in the federation.
    #[error("there is no such agent")]
    Unknown,
    /// The agent already reported in this round; the first report counts.
    #[error("it reported more than once")]
    Repeated,
    /// The loss is infinite or not a number.
    #[error("its loss is not finite")]
    LossNotFinite,
    /// The loss is below zero, which no loss here can be.
    #[error("its loss is negative")]
    LossNegative,
    /// An entry of the update is infinite or not a number, or the squared norm exceeds the largest
    /// number of the parameters' type.
    #[error("its update is not finite")]
    UpdateNotFinite,
}

/// Where a safeguard changed what the plain rule would have done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interventions {
    /// Agents whose utility was below its floor: counted as at the floor, or the reason of a
    /// warm-up.
    pub floored: Vec<usize>,
    /// Agents whose ceiling was raised, with the new ceiling.
    pub raised: Vec<(usize, f64)>,
    /// The whole round was FedAvg's, because somebody was below the floor.
    pub warm_up: bool,
    /// Agents whose pull was cut to the cap.
    pub capped: Vec<usize>,
    /// Agents whose update was shortened.
    pub clipped: Vec<usize>,
}

/// What a round did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Applied {
    /// What each accepted agent's update was multiplied by, by agent; the server's step size and
    /// momentum come on top.
    pub coefficients: Vec<(usize, f64)>,
    /// Who was left out.
    pub rejected: Vec<Rejected>,
    /// Where safeguards acted.
    pub interventions: Interventions,
    /// Nobody accepted had any pull (AFL's multipliers or q-FFL's losses were all zero), so the
    /// combined update is zero.
    pub no_pull: bool,
}
