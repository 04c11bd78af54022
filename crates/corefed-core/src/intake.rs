//! What is done to the cells of a table before they are encoded, so that everybody who reads the
//! table again reads the same.

use serde::{Deserialize, Serialize};

use crate::Writing;

/// How cells become what an encoding speaks about. The default changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Intake {
    /// How the file writes its table, where that was told.
    #[serde(skip_serializing_if = "Writing::is_recognised")]
    pub written: Writing,
    /// Words that stand for a missing cell, beside the usual ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub na: Vec<String>,
    /// Columns of dates, and what they become.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dates: Vec<DateColumn>,
    /// Which rows are used.
    #[serde(skip_serializing_if = "UsedRows::is_all")]
    pub rows: UsedRows,
}

impl Intake {
    /// Whether cells and rows stay as they are.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// Whether a trimmed cell means that there is no number: empty, or what R, pandas, databases and SAS write.
#[must_use]
pub fn is_hole(cell: &str) -> bool {
    matches!(cell, "" | "?" | "." | "-") || is_na(cell) || cell.eq_ignore_ascii_case("none")
}

/// Whether a trimmed cell is a word for *not available* in any case of letters.
#[must_use]
pub fn is_na(cell: &str) -> bool {
    let words = ["na", "n/a", "#n/a", "nan", "null"];
    cell.len() <= 4 && words.iter().any(|word| cell.eq_ignore_ascii_case(word))
}

/// A column of dates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DateColumn {
    /// Its name.
    pub column: String,
    /// What its cells become.
    pub becomes: DateUse,
}

/// What a date becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DateUse {
    /// Days since the first of January 1970.
    Days,
    /// Days, and texts for month, day of the week and, where times are given, hour.
    Parts,
}

/// Which rows are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum UsedRows {
    /// All of them.
    #[default]
    All,
    /// Those with a target.
    Labelled,
    /// Those without a hole in any column that is used.
    Complete,
}

impl UsedRows {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_all(&self) -> bool {
        *self == Self::All
    }
}

/// How a target that is a number is standardised: losses and radius are then free of its unit
/// (ledger E70).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TargetScale {
    /// Subtracted from the target.
    pub mean: f64,
    /// Divides the centred target, > 0.
    pub scale: f64,
}

impl TargetScale {
    /// The target as models see it.
    #[must_use]
    pub fn standardise(self, value: f64) -> f64 {
        (value - self.mean) / self.scale
    }

    /// A prediction in the unit of the target.
    #[must_use]
    pub fn restore(self, value: f64) -> f64 {
        value * self.scale + self.mean
    }
}
