//! What was done to a table so that it could be used, for people to read once.

use std::fmt;

use corefed_core::DateUse;
use serde::{Deserialize, Serialize};

use crate::names::excerpt;

/// Something that a reader decided about a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Note {
    /// The file was compressed.
    Unpacked {
        /// With what.
        how: String,
    },
    /// Cells are not separated by commas.
    Separator {
        /// By what.
        by: String,
    },
    /// Numbers have a comma before their decimals.
    DecimalComma,
    /// Rows that are not used.
    RowsLeftOut {
        /// How many.
        rows: usize,
        /// Of how many.
        of: usize,
        /// Holes by column, the most first.
        holes: Vec<(String, usize)>,
    },
    /// Numbers that are missing and have the mean of their column instead.
    Filled {
        /// Columns and their holes.
        columns: Vec<(String, usize)>,
    },
    /// Texts that are missing, which is a level of its own.
    Levels {
        /// Columns and their holes.
        columns: Vec<(String, usize)>,
    },
    /// A column that has one value, or none, and is not used.
    Constant {
        /// The column.
        column: String,
        /// Its only value.
        value: String,
    },
    /// A column of names that hardly repeat, which is not used.
    Identifier {
        /// The column.
        column: String,
        /// How many different texts it has.
        texts: usize,
        /// In how many rows.
        rows: usize,
    },
    /// A column of dates.
    Dates {
        /// The column.
        column: String,
        /// What they become.
        becomes: DateUse,
    },
    /// A typed column that is neither numbers nor text, and is not used.
    Unsupported {
        /// The column.
        column: String,
        /// What the file calls it.
        holds: String,
    },
    /// A column that numbers the rows, and is used.
    RowNumbers {
        /// The column.
        column: String,
    },
    /// A number that looks like a code for a missing value.
    Sentinel {
        /// The column.
        column: String,
        /// The number.
        value: f64,
        /// How often it occurs.
        cells: usize,
    },
}

impl Note {
    /// Whether it says that this column is constant.
    pub(crate) fn is_about(&self, name: &str) -> bool {
        matches!(self, Self::Constant { column, .. } if column == name)
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unpacked { how } => write!(f, "the file is compressed with {how}"),
            Self::Separator { by } => write!(f, "cells are separated by {by}"),
            Self::DecimalComma => f.write_str("numbers are written with a decimal comma"),
            Self::RowsLeftOut { rows, of, holes } => {
                write!(f, "{rows} of {of} rows are left out, because cells are missing: ")?;
                f.write_str(&counted(holes))
            }
            Self::Filled { columns } => {
                write!(f, "missing numbers are replaced by the mean of their column: ")?;
                f.write_str(&counted(columns))
            }
            Self::Levels { columns } => {
                write!(f, "missing texts count as a level of their own: {}", counted(columns))
            }
            Self::Constant { column, value } if value.is_empty() => {
                write!(f, "column `{}` is empty and is left out", excerpt(column))
            }
            Self::Constant { column, value } => write!(
                f,
                "column `{}` is `{}` in every row and is left out",
                excerpt(column),
                excerpt(value)
            ),
            Self::Identifier { column, texts, rows } => {
                let column = excerpt(column);
                write!(
                    f,
                    "column `{column}` has {texts} different texts in {rows} rows, looks like an \
                     identifier, and is left out; `--column {column}=text` keeps it"
                )
            }
            Self::Dates { column, becomes } => {
                let column = excerpt(column);
                match becomes {
                    DateUse::Days => write!(
                        f,
                        "column `{column}` holds dates and counts as days since 1970-01-01; \
                         `--column {column}=parts` takes month, weekday and hour as well, \
                         `--column {column}=ignore` leaves it out"
                    ),
                    DateUse::Parts => write!(
                        f,
                        "column `{column}` holds dates and becomes days, month, weekday and hour"
                    ),
                }
            }
            Self::Unsupported { column, holds } => {
                write!(f, "column `{}` holds `{holds}` and is left out", excerpt(column))
            }
            Self::RowNumbers { column } => {
                let column = excerpt(column);
                write!(
                    f,
                    "column `{column}` counts up from row to row, and is used as a number: if it only numbers \
                     the rows, leave it out with `--column {column}=ignore`"
                )
            }
            Self::Sentinel { column, value, cells } => write!(
                f,
                "column `{}` is {value} in {cells} {}, far from all other values: if that stands for \
                 a missing value, say so with `--na {value}`",
                excerpt(column),
                if *cells == 1 { "row" } else { "rows" }
            ),
        }
    }
}

/// Columns listed before the rest is counted.
const LISTED: usize = 6;

fn counted(columns: &[(String, usize)]) -> String {
    let shown: Vec<String> = columns
        .iter()
        .take(LISTED)
        .map(|(name, count)| format!("{count} in `{}`", excerpt(name)))
        .collect();
    match columns.len().saturating_sub(LISTED) {
        0 => shown.join(", "),
        rest => {
            let cells: usize = columns[LISTED..].iter().map(|(_, count)| count).sum();
            format!("{}, and {cells} in {rest} more columns", shown.join(", "))
        }
    }
}
