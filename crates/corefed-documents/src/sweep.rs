//! `sweep.json`: one key of a spec, several values.

use corefed_core::{KappaInterval, Number, Verdict};
use serde::{Deserialize, Serialize};

use crate::Document;

/// What several values of one key led to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// Where it was written.
    pub folder: String,
    /// The key that was changed.
    pub field: String,
    /// One entry per value.
    pub points: Vec<SweepPoint>,
}

impl Document for Sweep {
    const KIND: &'static str = "sweep";
    const VERSION: u64 = 1;
}

/// What one value led to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepPoint {
    /// As the user wrote it.
    pub value: String,
    /// Everybody, in the order of utilities; agents may change with the key.
    pub agents: Vec<String>,
    /// By agent.
    pub utilities: Vec<f64>,
    /// The weighted sum of their logarithms.
    pub log_welfare: Number,
    /// Where kappa lies.
    pub kappa: KappaInterval,
    /// Where everybody's factor lies.
    pub everybody: KappaInterval,
    /// Upper bound of kappa from ceilings alone.
    pub headroom: Number,
    /// Of the model at this value.
    pub verdict: Verdict,
    /// Mean accuracy on training rows, for classes.
    pub accuracy: Option<f64>,
    /// Accuracy on the test part.
    pub test_accuracy: Option<f64>,
}
