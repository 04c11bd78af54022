//! A fitted predictor: what it is, and how to compute its inputs from a raw row.

use serde::{Deserialize, Serialize};

use crate::{Family, Intake, TargetScale};

/// One encoded column, and how to compute it from a raw row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Feature {
    /// `(value - mean) / scale` of a numeric column; `--raw` keeps `mean = 0, scale = 1`.
    Numeric {
        /// Name of the raw column.
        column: String,
        /// Subtracted from the value.
        mean: f64,
        /// Divides the centred value, > 0.
        scale: f64,
        /// Stands in for a missing cell, in the unit of the column; without it, none may be missing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        missing: Option<f64>,
    },
    /// One where the column holds this text, zero elsewhere.
    Level {
        /// Name of the raw column.
        column: String,
        /// The text that switches it on.
        level: String,
    },
    /// One in every row.
    Intercept,
}

impl Feature {
    /// The name under which parameters are printed: `age`, `sex=Male`, `(intercept)`.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Numeric { column, .. } => column.clone(),
            Self::Level { column, level } => format!("{column}={level}"),
            Self::Intercept => "(intercept)".to_owned(),
        }
    }

    /// Whether the column is an indicator (zero or one, stored as an index).
    #[must_use]
    pub fn is_indicator(&self) -> bool {
        !matches!(self, Self::Numeric { .. })
    }
}

/// How raw rows become inputs of a predictor, and which column says whose they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Encoding {
    /// Column that names the agent owning the row.
    pub agent_column: String,
    /// Column to predict.
    pub target_column: String,
    /// Column that says for how long, or how many, a row was observed; without it, every row counts one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposure_column: Option<String>,
    /// Texts of the classes in label order; empty for a linear model.
    pub classes: Vec<String>,
    /// How a target that is a number is standardised; without it, it is taken as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_scale: Option<TargetScale>,
    /// What is done to cells before they are encoded.
    #[serde(default, skip_serializing_if = "Intake::is_nothing")]
    pub intake: Intake,
    /// Encoded columns in parameter order: numeric ones first, then indicators by raw column.
    pub features: Vec<Feature>,
}

/// A model with its parameters and everything needed to apply it to raw rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Predictor {
    /// Which loss it was fitted for.
    pub family: Family,
    /// Weight of `(l2 / 2) |theta|^2` in every agent's loss, >= 0.
    pub l2: f64,
    /// Radius of the ball about zero that parameters, and rivals, must lie in.
    pub radius: f64,
    /// How rows are encoded.
    pub encoding: Encoding,
    /// Parameters, `features` numbers per block.
    pub parameters: Vec<f64>,
}
