//! What a search found.

use corefed_core::Number;
use serde::{Deserialize, Serialize};

/// A rival and the coalition that makes the most of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FoundWitness {
    /// Where the rival comes from.
    pub rival: String,
    /// Its parameters.
    pub params: Vec<f32>,
    /// Members by index, ascending.
    pub coalition: Vec<usize>,
    /// Their gains, in the same order.
    pub gains: Vec<Number>,
    /// What the coalition secures.
    pub kappa: Number,
}

/// One rise of the lower end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rise {
    /// Models evaluated so far, this one included.
    pub evaluations: usize,
    /// The new lower end of kappa.
    pub kappa: Number,
    /// The rival that raised it.
    pub rival: String,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SearchResult {
    /// The lower end of kappa, over the coalitions that leave somebody behind.
    pub kappa: Number,
    /// The rival that reaches it; absent when nobody is known to gain by leaving.
    pub witness: Option<FoundWitness>,
    /// The largest factor seen by which everybody gains at once; one when nothing beats staying,
    /// zero when somebody has nothing and no rival serves everybody.
    pub everybody: Number,
    /// The rival that reaches it; absent when it is no more than staying gives.
    pub improvement: Option<FoundWitness>,
    /// How the lower end rose.
    pub rises: Vec<Rise>,
    /// Models evaluated, the incumbent included.
    pub evaluations: usize,
    /// Bursts of local work spent.
    pub bursts: usize,
    /// The utilities of the incumbent.
    pub utilities: Vec<f64>,
}
