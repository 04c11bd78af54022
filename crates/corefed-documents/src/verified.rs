//! What `corefed verify` answers.

use corefed_core::Claim;
use serde::{Deserialize, Serialize};

use crate::Document;

/// A certificate that holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verified {
    /// `verified` on the data, `attested` by agents that keep theirs (all or some), or only `consistent` with
    /// itself.
    pub status: String,
    /// What it says.
    #[serde(flatten)]
    pub claim: Claimed,
    /// What was found to hold.
    pub checked: Vec<String>,
    /// What it says that was not checked.
    pub not_checked: Vec<String>,
}

impl Document for Verified {
    const KIND: &'static str = "verified";
    const VERSION: u64 = 1;
}

/// What a certificate says. Read by the first that fits, so that what has more fields comes first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Claimed {
    /// A verdict on a model whose rows stay with the agents.
    Attested {
        /// The verdict.
        #[serde(flatten)]
        claim: Claim,
        /// Agents that signed their answers.
        signed: Vec<String>,
        /// Agents that answered and have not signed.
        unsigned: Vec<String>,
        /// Agents that did not answer.
        absent: Vec<String>,
    },
    /// A verdict on a model.
    Core {
        /// The verdict.
        #[serde(flatten)]
        claim: Claim,
    },
    /// Which of several models nobody can veto.
    Veto {
        /// Models that nobody can veto.
        core: Vec<String>,
        /// How many were listed.
        models: usize,
    },
}
