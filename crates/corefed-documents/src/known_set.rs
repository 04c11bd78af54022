//! A published or generated data set, as `corefed data list` tells of it.

use serde::Serialize;

/// One known set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KnownSet {
    /// As commands and specs name it.
    pub name: &'static str,
    /// As people do.
    pub title: &'static str,
    /// `generated`, `absent`, `partial`, `present`, `verified` or `damaged`.
    pub state: &'static str,
    /// What is missing or damaged.
    pub detail: String,
    /// Size of its files.
    pub bytes: u64,
    /// What its publisher allows.
    pub licence: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
    /// What it holds.
    pub about: &'static str,
}
