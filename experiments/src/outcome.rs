//! What one training came to.

use corefed_core::Factors;
use serde::Serialize;

use crate::pool::Candidate;

/// What a training came to.
pub(crate) enum Came {
    /// A model, and, for a row of the table, what else is known and the ceiling it was trained under.
    Model(Candidate, Option<(Facts, Option<f64>)>),
    /// Nothing: a rule that does not survive its settings is a result, not the end of the table.
    Exploded(Exploded),
}

/// What is known of a training besides its losses.
pub(crate) struct Facts {
    pub(crate) rule: String,
    pub(crate) seed: u64,
    pub(crate) accuracy: Option<f64>,
    pub(crate) held_out_accuracy: Option<f64>,
    pub(crate) test_accuracy: Option<f64>,
    pub(crate) seconds: f64,
    /// The factors of an exact audit and who would leave, where losses are convex.
    pub(crate) exact: Option<(Factors, Vec<usize>)>,
}

/// A training that could not be completed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Exploded {
    pub(crate) training: String,
    pub(crate) seed: u64,
    pub(crate) failure: String,
}
