//! `ceiling.json`: what a common scale of ceilings decides.

use corefed_core::{KappaInterval, Number, Verdict};
use serde::{Deserialize, Serialize};

use crate::Document;

/// Where agents can be served together, where the core predictor is stable, and where the question is empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CeilingSearch {
    /// The data.
    pub file: String,
    /// What an agent is called, such as `hospital`; empty where rows were divided among agents.
    #[serde(default)]
    pub owner: String,
    /// What is scaled: a policy by its word, such as `initial` or `baseline`, `number` or a file.
    pub policy: String,
    /// Everybody, with what the scale multiplies.
    pub agents: Vec<ReferenceLine>,
    /// Gains up to this do not count in a verdict.
    pub tolerance: f64,
    /// From where everybody can be served at once.
    pub served: Served,
    /// From where the core predictor is stable.
    pub stable: Threshold,
    /// From where no proper coalition could gain whatever it did.
    pub empty: Threshold,
    /// Every scale that was tried, ascending.
    pub points: Vec<CeilingPoint>,
    /// The scale to use, where one can be named.
    pub recommended: Option<Recommended>,
    /// What a reader must know about the references.
    pub notes: Vec<String>,
}

impl Document for CeilingSearch {
    const KIND: &'static str = "ceiling-search";
    const VERSION: u64 = 1;
}

/// An agent and what the scale multiplies for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReferenceLine {
    /// Its name.
    pub name: String,
    /// A ceiling is the scale times this.
    pub reference: f64,
}

/// From where everybody can be served at once; both ends are proven, for every scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Served {
    /// At no scale up to this.
    pub not_up_to: f64,
    /// At every scale above this.
    pub above: f64,
    /// Who cannot all be served just below.
    pub together: Vec<String>,
}

/// From where something holds: found between two scales that were tried, and proven from another on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Threshold {
    /// The largest scale tried where it does not hold; `null` where it holds at all of them.
    pub not_at: Option<f64>,
    /// It holds here and at every larger scale that was tried; `null` where it holds at none.
    pub from: Option<f64>,
    /// It holds at every scale from here on, tried or not; `null` where nothing proves it.
    pub proven_from: Option<f64>,
}

/// What one scale led to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CeilingPoint {
    /// The scale.
    pub scale: f64,
    /// The smallest utility of the core predictor.
    pub least: f64,
    /// The largest.
    pub most: f64,
    /// Where kappa lies.
    pub kappa: KappaInterval,
    /// Where everybody's factor lies.
    pub everybody: KappaInterval,
    /// Upper bound of kappa from ceilings alone; infinite where losses may be negative.
    pub headroom: Number,
    /// Of the core predictor.
    pub verdict: Verdict,
}

/// A scale to use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recommended {
    /// The scale.
    pub scale: f64,
    /// As a spec writes it; `null` where only numbers by agent can say it.
    pub ceiling: Option<String>,
    /// Why, in a sentence.
    pub reason: String,
}
