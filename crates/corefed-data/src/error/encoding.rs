//! Why an encoding contradicts itself.

use corefed_core::Family;
use thiserror::Error;

/// Why an encoding contradicts itself.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum EncodingError {
    /// Nothing to compute.
    #[error("the encoding has no features")]
    NoFeatures,
    /// One column is both owner and target.
    #[error("the encoding uses column `{column}` both for agents and as target")]
    AgentIsTarget {
        /// The column.
        column: String,
    },
    /// The family takes no exposures, or the column has another role.
    #[error("the encoding takes exposures from `{column}`, which a {family} model cannot use")]
    Exposure {
        /// The column.
        column: String,
        /// The model.
        family: Family,
    },
    /// A feature reads the agent or the target.
    #[error("the encoding makes a feature of `{column}`, its agent or target column")]
    Reserved {
        /// The column.
        column: String,
    },
    /// Features are not numeric, then levels, then intercept.
    #[error("the encoding has feature `{name}` in the wrong place")]
    Order {
        /// The first feature out of order.
        name: String,
    },
    /// Two features have one name.
    #[error("the encoding has two features called `{name}`")]
    DuplicateFeature {
        /// The name.
        name: String,
    },
    /// A raw column is encoded in two places.
    #[error("the encoding uses column `{column}` in two places")]
    SplitColumn {
        /// The column.
        column: String,
    },
    /// Mean or scale cannot standardise anything.
    #[error("the encoding standardises column `{column}` with mean `{mean}` and scale `{scale}`")]
    Moments {
        /// The column.
        column: String,
        /// Should be finite.
        mean: f64,
        /// Should be finite and positive.
        scale: f64,
    },
    /// What stands in for missing cells is not a value of the column.
    #[error("the encoding fills column `{column}` with `{value}`")]
    Fill {
        /// The column.
        column: String,
        /// Should be a number that a cell may hold.
        value: f64,
    },
    /// The family needs another number of classes.
    #[error("the encoding lists {found} classes, which does not fit a {family} model")]
    ClassCount {
        /// Decides how many there must be.
        family: Family,
        /// How many it lists.
        found: usize,
    },
    /// Two classes cannot be told apart.
    #[error("the encoding lists classes `{first}` and `{second}`, which are the same")]
    TwinClasses {
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
}

impl EncodingError {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        "the file was edited or is not one of ours; fit the predictor again".to_owned()
    }
}
