//! `choice.json`: which of several models to take.

use corefed_core::Prefer;
use serde::{Deserialize, Serialize};

use crate::Document;

/// The models of a table, those that nobody can veto, and the one that is left to the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Choice {
    /// The table.
    pub file: String,
    /// What its numbers are.
    pub prefer: Prefer,
    /// The column that groups models, where there is one.
    pub group: Option<String>,
    /// Everybody, in the order of the table.
    pub agents: Vec<ChoosingAgent>,
    /// In the order of the table.
    pub models: Vec<ChoiceLine>,
    /// What veto by consumption leaves; several only where they end together.
    pub chosen: Vec<String>,
}

impl Document for Choice {
    const KIND: &'static str = "choice";
    const VERSION: u64 = 1;
}

impl Choice {
    /// The models that nobody can veto.
    pub fn core(&self) -> impl Iterator<Item = &ChoiceLine> {
        self.models.iter().filter(|model| model.veto.is_none())
    }
}

/// Somebody who chooses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChoosingAgent {
    /// Its name.
    pub name: String,
    /// Its part of the say.
    pub share: f64,
}

/// One model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChoiceLine {
    /// Its name.
    pub model: String,
    /// Its part of all models.
    pub measure: f64,
    /// Who vetoes it; absent for a model of the core.
    pub veto: Option<VetoLine>,
    /// What it is to each agent, in their order.
    pub values: Vec<f64>,
}

/// A coalition that does not accept a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VetoLine {
    /// Its members.
    pub coalition: Vec<String>,
    /// The models that all of them strictly prefer.
    pub better: Vec<String>,
}
