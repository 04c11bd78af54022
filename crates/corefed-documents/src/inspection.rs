//! `inspection`: what a set holds, before anything is fitted.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Document;

/// What `corefed data inspect` found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Inspection {
    /// As it was asked for.
    pub name: String,
    /// How many rows there are.
    pub rows: usize,
    /// SHA-256 of what was read.
    pub digest: String,
    /// In the order of the file.
    pub columns: Vec<InspectedColumn>,
    /// The column to predict, if one was named or the set has one.
    #[serde(default)]
    pub target: Option<String>,
    /// Classes of the target, where it has classes.
    pub classes: Vec<String>,
    /// Who owns the rows; empty where no owner is known.
    pub agents: Vec<InspectedAgent>,
    /// What looks odd, in words.
    #[serde(default)]
    pub odd: Vec<String>,
}

impl Document for Inspection {
    const KIND: &'static str = "inspection";
    const VERSION: u64 = 1;
}

/// One column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InspectedColumn {
    /// Its name.
    pub name: String,
    /// `number`, `text`, `date`, `empty`, or the shape of an image.
    pub kind: String,
    /// Cells without a value.
    pub missing: usize,
    /// How many different values there are.
    pub distinct: usize,
    /// Least number, or earliest date.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub least: Value,
    /// Largest number, or latest date.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub most: Value,
    /// Mean of numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Standard deviation of numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// How many numbers lie in each of equal parts of the range.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bars: Vec<usize>,
    /// The most frequent texts, and how often they occur.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<(String, usize)>,
}

/// One owner of rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InspectedAgent {
    /// Its name.
    pub name: String,
    /// How many rows it has.
    pub rows: usize,
    /// How many of each class.
    pub labels: Map<String, Value>,
    /// Mean and deviation of its numbers, by column.
    #[serde(default)]
    pub numbers: Vec<AgentNumbers>,
}

/// What an agent's numbers of one column are like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentNumbers {
    /// The column.
    pub column: String,
    /// Numbers that are there.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}
