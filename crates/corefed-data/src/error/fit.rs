//! Why no encoding can be learnt from a table.

use corefed_core::{Family, setting};
use thiserror::Error;

use crate::names::listed;

/// Why an encoding cannot be learnt from a table.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum FitError {
    /// One column cannot be both owner and target.
    #[error("`{file}`: column `{column}` is given both for agents and as target")]
    AgentIsTarget {
        /// Name of the file.
        file: String,
        /// The column.
        column: String,
    },
    /// The model has no use for exposures.
    #[error("`{file}`: column `{column}` is given as exposure, and a {family} model takes none")]
    NoExposure {
        /// Name of the file.
        file: String,
        /// The column.
        column: String,
        /// The model.
        family: Family,
    },
    /// One column cannot be exposure and something else.
    #[error("`{file}`: column `{column}` is given as exposure, and for agents or as target")]
    ExposureTaken {
        /// Name of the file.
        file: String,
        /// The column.
        column: String,
    },
    /// A federation of one.
    #[error("`{file}`: column `{column}` names a single agent, `{agent}`")]
    OneAgent {
        /// Name of the file.
        file: String,
        /// The column.
        column: String,
        /// The agent.
        agent: String,
    },
    /// The type of a column whose meaning is fixed already.
    #[error("`{file}`: column `{column}` is the agent or the target, and takes no type")]
    TypedRole {
        /// Name of the file.
        file: String,
        /// The column.
        column: String,
    },
    /// The type of the column of exposures.
    #[error("`{file}`: column `{column}` is the exposure, and takes no type")]
    TypedExposure {
        /// Name of the file.
        file: String,
        /// The column.
        column: String,
    },
    /// Two types for one column.
    #[error("`{file}`: column `{column}` is given two types")]
    TypedTwice {
        /// Name of the file.
        file: String,
        /// The column.
        column: String,
    },
    /// No column is left to predict from.
    #[error("`{file}` has no columns besides agent and target, and there is no intercept")]
    NoFeatures {
        /// Name of the file.
        file: String,
    },
    /// Two encoded columns would have one name.
    #[error("`{file}`: two encoded columns would be called `{name}`")]
    DuplicateFeature {
        /// Name of the file.
        file: String,
        /// The name.
        name: String,
    },
    /// Mean or standard deviation cannot be represented.
    #[error("`{file}`: mean or deviation of column `{column}` is beyond the range of `f64`")]
    OutOfRange {
        /// Name of the file.
        file: String,
        /// The column.
        column: String,
    },
    /// Numbers with a unit would become one level each.
    #[error("`{file}`: column `{column}` holds numbers with a unit: `{cell}`")]
    Unit {
        /// Name of the file.
        file: String,
        /// The column.
        column: String,
        /// One of its cells.
        cell: String,
        /// The unit.
        unit: String,
    },
    /// Numbers whose thousands are set apart would become one level each.
    #[error("`{file}`: column `{column}` holds numbers with thousands separators: `{cell}`")]
    Thousands {
        /// Name of the file.
        file: String,
        /// The column.
        column: String,
        /// One of its cells.
        cell: String,
    },
    /// Dates whose day and month cannot be told apart.
    #[error(
        "`{file}`: column `{column}` holds dates, but in `{cell}` day and month cannot be told apart"
    )]
    AmbiguousDates {
        /// Name of the file.
        file: String,
        /// The column.
        column: String,
        /// One of its cells.
        cell: String,
    },
    /// Every row lacks something.
    #[error("`{file}`: all {rows} rows have a hole; column `{column}` alone has {holes}")]
    NoRowsLeft {
        /// Name of the file.
        file: String,
        /// The column with most holes.
        column: String,
        /// How many it has.
        holes: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// A column of text that needs a closer look than one pass can give.
    #[error("`{file}`: column `{column}` is hardly a category")]
    Suspect {
        /// Name of the file.
        file: String,
        /// The column.
        column: String,
    },
    /// Too few or too many classes.
    #[error(
        "`{file}`: column `{column}` has {} for a {} model: {}",
        count(classes.len()),
        family,
        listed(classes)
    )]
    ClassCount {
        /// Name of the file.
        file: String,
        /// The target.
        column: String,
        /// Decides how many there must be.
        family: Family,
        /// Those there are.
        classes: Vec<String>,
    },
    /// Two classes that are the same number.
    #[error("`{file}`: column `{column}` has classes `{first}` and `{second}`, the same number")]
    TwinClasses {
        /// Name of the file.
        file: String,
        /// The target.
        column: String,
        /// One spelling.
        first: String,
        /// The other.
        second: String,
    },
    /// Raw labels that leave out a class.
    #[error("`{file}`: raw labels of column `{column}` go up to {largest} but {label} is absent")]
    ClassGap {
        /// Name of the file.
        file: String,
        /// The target.
        column: String,
        /// The first label that no row has.
        label: usize,
        /// The largest label.
        largest: usize,
    },
}

impl FitError {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::AgentIsTarget { .. } => "name two columns",
            Self::NoExposure { .. } => "drop `exposure`, or choose a model of counts",
            Self::ExposureTaken { .. } => "name another column",
            Self::OneAgent { .. } => "a federation has at least two agents",
            Self::TypedRole { .. } => {
                "agents are names, and the model decides what the target is; drop `@column`"
            }
            Self::TypedExposure { .. } => "exposures are numbers; drop `@column`",
            Self::TypedTwice { .. } => "give `@column` once for each column",
            Self::NoFeatures { .. } => "add a column to predict from, or keep the intercept",
            Self::DuplicateFeature { .. } => "rename the column",
            Self::OutOfRange { .. } => "express the column in another unit",
            Self::Unit { column, unit, .. } => {
                return Some(format!(
                    "remove ` {unit}` from the cells; {} leaves the column out, {} takes every text \
                     for a category",
                    typed(column, "ignore"),
                    typed(column, "text")
                ));
            }
            Self::Thousands { column, .. } => {
                return Some(format!(
                    "write 1751.34, not 1,751.34; {} leaves the column out",
                    typed(column, "ignore")
                ));
            }
            Self::AmbiguousDates { column, .. } => {
                return Some(format!(
                    "write dates as 2024-03-01; {} leaves the column out, {} takes every date for a \
                     category",
                    typed(column, "ignore"),
                    typed(column, "text")
                ));
            }
            Self::NoRowsLeft { column, .. } => {
                return Some(format!(
                    "{} leaves that column out; `@missing mean` fills numbers",
                    typed(column, "ignore")
                ));
            }
            Self::Suspect { column, .. } => {
                return Some(format!("say what it is: {}, or `=text`", typed(column, "ignore")));
            }
            Self::ClassCount { classes, .. } if is_quantity(classes) => {
                "the target is a quantity: use `@model linear`; for classes, group its values first"
            }
            Self::ClassCount { family, classes, .. }
                if family.targets().most_classes().is_some_and(|most| classes.len() > most) =>
            {
                "use `@model softmax`, or `@model linear` if the target is a quantity"
            }
            Self::ClassCount { .. } => "is the target column right? all rows have one class",
            Self::TwinClasses { .. } => "write each class in one way",
            Self::ClassGap { .. } => "number the classes from 0 without gaps, or drop `@raw`",
        };
        Some(hint.to_owned())
    }
}

/// The setting that says what a column is.
pub(super) fn typed(column: &str, kind: &str) -> String {
    setting("column", format!("{column}={kind}"))
}

fn count(classes: usize) -> String {
    if classes == 1 { "one class".to_owned() } else { format!("{classes} classes") }
}

/// Whether these are rather numbers than names of classes.
fn is_quantity(classes: &[String]) -> bool {
    classes.len() > 10 && classes.iter().all(|class| class.parse::<f64>().is_ok())
}
