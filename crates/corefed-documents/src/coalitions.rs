//! `coalitions.json`: what every coalition of a small federation could have.

use corefed_core::{KappaInterval, Number};
use serde::{Deserialize, Serialize};

use crate::Document;

/// All coalitions against each of several models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Coalitions {
    /// One entry per model.
    pub models: Vec<ModelCoalitions>,
}

impl Document for Coalitions {
    const KIND: &'static str = "coalition-list";
    const VERSION: u64 = 1;
}

/// All coalitions against one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelCoalitions {
    /// The rule it was made by.
    pub model: String,
    /// By size, then in the order of agents.
    pub coalitions: Vec<CoalitionLine>,
}

/// One coalition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoalitionLine {
    /// Who it is.
    pub members: Vec<String>,
    /// `w(S)/W`; it blocks if `share` times `value` is more than one.
    pub share: f64,
    /// Where `V(S)` lies.
    pub value: KappaInterval,
    /// Of every member, with the rival that reaches `value.lo`.
    pub gains: Vec<Number>,
}
