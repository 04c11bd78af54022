//! What a statement is worth.

use serde::{Deserialize, Serialize};

/// How a statement came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// Proven from what it rests on.
    Certified,
    /// Computed without a proof, or from a sample.
    Estimated,
    /// Found by looking: what is there is a fact, what was not found may still exist.
    Searched,
    /// Nothing is said, for a reason.
    NotApplicable,
}

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Certified => "certified",
            Self::Estimated => "estimated",
            Self::Searched => "searched",
            Self::NotApplicable => "not applicable",
        })
    }
}

/// A finding with its label and what it rests on, in sentences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Statement<T> {
    /// What it is worth.
    pub label: Label,
    /// Assumptions and scope; the reason, where nothing is said.
    pub rests_on: Vec<String>,
    /// What was found.
    pub finding: Option<T>,
}

impl<T> Statement<T> {
    pub(crate) fn new<const N: usize>(label: Label, rests_on: [&str; N], finding: T) -> Self {
        let rests_on = rests_on.map(str::to_owned).to_vec();
        Self { label, rests_on, finding: Some(finding) }
    }

    pub(crate) fn not_applicable(reason: impl Into<String>) -> Self {
        Self { label: Label::NotApplicable, rests_on: vec![reason.into()], finding: None }
    }
}
