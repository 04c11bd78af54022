//! How a partition came to be, as its file records it.

use serde::{Deserialize, Serialize};

/// A way to divide rows, with everything but the data and the seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Method {
    /// See [`iid`](super::iid()).
    Iid {
        /// Number of agents.
        agents: usize,
    },
    /// See [`label_dirichlet`](super::label_dirichlet()).
    LabelDirichlet {
        /// Number of agents.
        agents: usize,
        /// Concentration, > 0.
        alpha: f64,
        /// Rows every agent has at least, ≥ 1.
        min_samples: usize,
    },
    /// See [`shards`](super::shards()).
    Shards {
        /// Number of agents.
        agents: usize,
        /// Shards dealt to each, ≥ 1.
        shards_per_agent: usize,
    },
    /// See [`quantity_skew`](super::quantity_skew()).
    QuantitySkew {
        /// Number of agents.
        agents: usize,
        /// Concentration, > 0.
        alpha: f64,
        /// Rows every agent has at least, ≥ 1.
        min_samples: usize,
    },
    /// See [`by_groups`](super::by_groups()).
    Column {
        /// Name of the column that names the owners.
        column: String,
    },
    /// Somebody else's assignment; nothing is known about how it was made.
    Given,
}
