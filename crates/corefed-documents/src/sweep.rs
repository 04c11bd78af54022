//! `sweep.json`: one key of a spec, several values.

use corefed_core::{KappaInterval, Number, Verdict};
use serde::{Deserialize, Serialize};

use crate::Document;

/// What several values of one key led to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sweep {
    /// Where its trainings lie, as seen from this document's file; printed, from where the command ran.
    pub folder: String,
    /// The key that was changed.
    pub field: String,
    /// What an agent is called, such as `hospital`; empty where rows were divided among agents.
    #[serde(default)]
    pub owner: String,
    /// One entry per value.
    pub points: Vec<SweepPoint>,
}

impl Sweep {
    /// As it is stored: beside its trainings, wherever they lie.
    #[must_use]
    pub fn stored(&self) -> Self {
        Self { folder: ".".to_owned(), ..self.clone() }
    }
}

impl Document for Sweep {
    const KIND: &'static str = "sweep";
    const VERSION: u64 = 2;
}

/// What one value led to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SweepPoint {
    /// As the user wrote it.
    pub value: String,
    /// Everybody, in the order of utilities; agents may change with the key.
    pub agents: Vec<String>,
    /// By agent; none where there is no model.
    pub utilities: Vec<f64>,
    /// By agent; none where there is no model, or not known.
    #[serde(default)]
    pub losses: Vec<f64>,
    /// Who would leave a blocked model.
    #[serde(default)]
    pub leaving: Vec<String>,
    /// The weighted sum of their logarithms.
    pub log_welfare: Option<Number>,
    /// Where kappa lies.
    pub kappa: Option<KappaInterval>,
    /// Where everybody's factor lies.
    pub everybody: Option<KappaInterval>,
    /// Upper bound of kappa from ceilings alone.
    pub headroom: Option<Number>,
    /// Of the model at this value; `null` where there is none.
    pub verdict: Option<Verdict>,
    /// Why there is no model, where there is none.
    #[serde(default)]
    pub infeasible: Option<Unserved>,
    /// Mean accuracy on training rows, for classes.
    pub accuracy: Option<f64>,
    /// Accuracy on the test part.
    pub test_accuracy: Option<f64>,
}

/// Agents that no predictor can serve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unserved {
    /// Those that cannot all have a positive utility; empty where none was found and none ruled out.
    pub agents: Vec<String>,
    /// The whole reason, in words.
    pub reason: String,
}
