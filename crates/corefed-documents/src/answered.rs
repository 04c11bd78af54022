//! `answered.json`: how many numbers agents that keep their rows have told, against what they own.

use serde::{Deserialize, Serialize};

use crate::Document;

/// An exact audit by questions, as an account of what was told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answered {
    /// Rounds of questions, those that found the model included.
    pub rounds: usize,
    /// Those that found the model.
    pub training_rounds: usize,
    /// Points that were asked about.
    pub points: usize,
    /// By agent.
    pub agents: Vec<AnsweredAgent>,
}

/// What one agent told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnsweredAgent {
    /// Its name.
    pub name: String,
    /// Numbers in its table, as it says itself; `null` for one that never answered.
    pub cells: Option<usize>,
    /// Numbers it answered, by round.
    pub answered: Vec<usize>,
    /// Numbers that were sent to it, by round.
    pub sent: Vec<usize>,
    /// Why it was left out from some round on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// Why it has not signed what it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsigned: Option<String>,
}

impl AnsweredAgent {
    /// Numbers it answered in all.
    #[must_use]
    pub fn total(&self) -> usize {
        self.answered.iter().sum()
    }
}

impl Document for Answered {
    const KIND: &'static str = "answered";
    const VERSION: u64 = 1;
}
