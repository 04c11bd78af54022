//! `compare.json`: several rules, perhaps from several seeds, on the same data.

use corefed_core::{KappaInterval, Number, Verdict};
use serde::{Deserialize, Serialize};

use crate::{DeviationLine, Document};

/// The trainings of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Where it was written.
    pub folder: String,
    /// Everybody, in the order of utilities.
    pub agents: Vec<String>,
    /// One entry per rule and seed.
    pub runs: Vec<ComparedRun>,
}

impl Document for Comparison {
    const KIND: &'static str = "comparison";
    const VERSION: u64 = 1;
}

/// One training of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedRun {
    /// The rule's label.
    pub rule: String,
    /// The seed it was trained from.
    pub seed: u64,
    /// Its run folder.
    pub folder: String,
    /// By everything that is known, the other rules' models included.
    pub verdict: Verdict,
    /// Where kappa lies.
    pub kappa: KappaInterval,
    /// Where everybody's factor lies.
    pub everybody: KappaInterval,
    /// Upper bound of kappa from ceilings alone.
    pub headroom: Number,
    /// Another rule's model of the same seed that a coalition would rather have, if that is the
    /// best rival known.
    pub rival: Option<String>,
    /// The coalition that would rather have it, where the model is blocked.
    #[serde(default)]
    pub deviation: Option<DeviationLine>,
    /// By agent.
    pub utilities: Vec<f64>,
    /// Mean accuracy on training rows, for classes.
    pub accuracy: Option<f64>,
    /// Accuracy on the test part.
    pub test_accuracy: Option<f64>,
}
