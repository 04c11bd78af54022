//! `labels.json`: labels by agent, where a run folder does not hold the rows.

use serde::{Deserialize, Serialize};

use crate::Document;

/// How many rows of each class every agent trains on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Labels {
    /// Names of the classes.
    pub classes: Vec<String>,
    /// Rows by agent, then by class.
    pub counts: Vec<Vec<usize>>,
}

impl Document for Labels {
    const KIND: &'static str = "label-count";
    const VERSION: u64 = 1;
}
