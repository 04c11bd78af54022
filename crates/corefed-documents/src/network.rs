//! The part of an audit that only networks have.

use corefed_evidence::{Interval, LocalStatement, NonConvexAudit};
use serde::{Deserialize, Serialize};

/// What is certified, estimated and only searched of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NetworkAudit {
    /// Names of the agents that are counted below, from zero.
    #[serde(default)]
    pub agents: Vec<String>,
    /// Every statement with its label and what it rests on.
    #[serde(flatten)]
    pub audit: NonConvexAudit,
    /// Utilities on held-out rows, in the order of agents, each with an interval at the level that was
    /// asked for; `null` for an agent without any.
    #[serde(default)]
    pub held_out: Vec<Option<HeldOutUtility>>,
    /// `|grad F|` of log-welfare, and every agent's `|grad L_i|`; absent where somebody has no
    /// positive utility.
    pub gradients: Option<Gradients>,
    /// Ends of every agent's spectrum, as Lanczos' method estimates them; empty for networks with
    /// kinks, or where it was not asked for.
    pub spectrum: Vec<SpectrumLine>,
    /// Theorem 3 with those estimates in place of bounds: an estimate, not a certificate.
    pub local_estimate: LocalStatement,
}

/// A utility on held-out rows. In the interval, a row that costs more than the ceiling counts as one that
/// costs the ceiling: means of what has no bound have no interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeldOutUtility {
    /// How many rows.
    pub rows: usize,
    /// Ceiling minus mean loss.
    pub mean: f64,
    /// Where the truncated utility lies.
    pub truncated: Interval,
}

/// Lengths of gradients at the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gradients {
    /// Of log-welfare.
    pub log_welfare: f64,
    /// Of every agent's loss.
    pub agents: Vec<f64>,
}

/// One agent's spectrum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpectrumLine {
    /// Its name.
    pub agent: String,
    /// The smallest eigenvalue of its Hessian.
    pub smallest: f64,
    /// How far it may be off.
    pub smallest_residual: f64,
    /// The largest eigenvalue.
    pub largest: f64,
    /// How far it may be off.
    pub largest_residual: f64,
    /// How both were found.
    pub method: String,
}
