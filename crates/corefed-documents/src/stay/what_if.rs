//! What would change if somebody left or came.

use serde::{Deserialize, Serialize};

use super::agent::{GainLine, LossAndQuality};

/// A question about some agents, and what it means for each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WhatIf {
    /// What was asked.
    pub question: WhatIfQuestion,
    /// Whom it is about.
    pub about: Vec<String>,
    /// One entry per agent, those it is about last.
    pub lines: Vec<WhatIfLine>,
    /// Why it could not be answered, if so.
    pub failed: Option<String>,
}

/// Which question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum WhatIfQuestion {
    /// They leave: from the shared model to that of the others, and to their own.
    Without,
    /// They come: from the model of the others, and from their own, to the shared one.
    With,
    /// The others send them away: what it gives the others and costs them.
    Expel,
}

/// What it means for one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WhatIfLine {
    /// Its name.
    pub name: String,
    /// Whether the question is about it.
    pub about: bool,
    /// Before.
    pub before: Option<LossAndQuality>,
    /// Afterwards.
    pub after: Option<LossAndQuality>,
    /// Loss before minus loss afterwards; absent where rows are too few.
    pub gain: Option<GainLine>,
}
