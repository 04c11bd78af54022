//! What a claim rests on, in sentences that every document words alike.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Something the claim rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Assumption {
    /// What is assumed, as a sentence.
    pub statement: String,
    /// Whether it was checked.
    pub status: Status,
    /// Figures behind the status.
    pub detail: String,
}

impl Assumption {
    /// Losses are convex functions of the parameters, which all exact bounds need.
    pub const CONVEX: &str = "every loss is convex in the parameters";
    /// What headroom needs (ledger E8).
    pub const LOSSES_NOT_NEGATIVE: &str = "losses are not negative (headroom)";
    /// What the Frank-Wolfe bound needs (ledger E6).
    pub const UTILITIES_NOT_NEGATIVE: &str =
        "utilities are non-negative on the whole ball (premise of Theorem 2)";

    /// A statement and how it stands.
    #[must_use]
    pub fn new(statement: &str, status: Status, detail: impl Into<String>) -> Self {
        Self { statement: statement.to_owned(), status, detail: detail.into() }
    }

    /// Ceilings, and what else only an agent knows, are taken as it states them.
    #[must_use]
    pub fn truthful(what: &str) -> Self {
        Self::new(
            &format!("{what} are stated truthfully"),
            Status::Assumed,
            "an agent that controls its own ceiling or rows can move the optimum",
        )
    }

    /// Rivals are some models and no others, so that only a lower end follows from them.
    #[must_use]
    pub fn only_rivals(which: &str) -> Self {
        Self::new(
            &format!("rivals are the {which} (lower end)"),
            Status::Checked,
            "a search over other models was not made",
        )
    }
}

/// How an assumption stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Proven or computed here.
    Checked,
    /// Taken on trust.
    Assumed,
    /// Known to be false; the claim does not use it.
    Violated,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Checked => "checked",
            Self::Assumed => "assumed",
            Self::Violated => "violated",
        })
    }
}
