//! A published or generated data set, as `corefed data list` tells of it.

use serde::{Deserialize, Serialize};

/// One known set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KnownSet {
    /// As commands and specs name it.
    pub name: String,
    /// As people do.
    pub title: String,
    /// `generated`, `absent`, `partial`, `present`, `verified` or `damaged`.
    pub state: String,
    /// What is missing or damaged.
    pub detail: String,
    /// Size of its files.
    pub bytes: u64,
    /// What its publisher allows.
    pub licence: String,
    /// Where it comes from.
    pub citation: String,
    /// What it holds.
    pub about: String,
}
