//! A set with its owners, as a table that everything else reads.

use std::path::Path;

use corefed_core::{Family, Seed};
use corefed_data::source::Rows;
use corefed_data::{DataError, Partition, Split, split_partition};

use crate::corrupted::corrupted_rows;
use crate::formulas::inert_rows;
use crate::owned_rows::owned_rows;
use crate::source::Dataset;
use crate::{PrepareError, RunError};

/// What is exported of a set, and how.
#[derive(Clone, Copy, Debug)]
pub struct AskedRows<'a> {
    /// Owners by a file of `corefed data partition`.
    pub partition: Option<&'a Path>,
    /// Column that names the owner of a row.
    pub agent: Option<&'a str>,
    /// Column to predict.
    pub target: Option<&'a str>,
    /// What the target is, where rows are corrupted: classes unless told.
    pub model: Option<Family>,
    /// Corruptions, as `NAME=CORRUPTION,CORRUPTION`.
    pub corrupt: &'a [String],
    /// Share of every agent's rows that is held out for testing.
    pub test_share: Option<f64>,
    /// Of everything that is drawn.
    pub seed: Seed,
    /// Whether cells that a spreadsheet would take for formulas are made harmless.
    pub spreadsheet: bool,
}

/// Rows of some agents, as CSV.
#[derive(Clone, Debug)]
pub struct ExportedRows {
    /// The table; the owners' column is the first.
    pub csv: String,
    /// How many rows it has.
    pub rows: usize,
}

/// A set as tables.
#[derive(Clone, Debug)]
pub struct Exported {
    /// How many agents there are.
    pub agents: usize,
    /// All rows, or those to train on.
    pub train: ExportedRows,
    /// Those that are held out for testing.
    pub test: Option<ExportedRows>,
    /// The column to predict, if it is known.
    pub target: Option<String>,
}

/// Rows with an `agent` column; test rows are held out, and chosen agents corrupted.
pub fn export(set: &Dataset, asked: &AskedRows<'_>) -> Result<Exported, RunError> {
    let Rows::Table(table) = &set.rows else {
        return Err(PrepareError::ImagesInTable { name: set.name.clone() }.into());
    };
    let owners = set.owners(asked.partition, asked.agent)?.ok_or(PrepareError::WhoseRows)?;
    let (train, test) = match asked.test_share {
        None => (owners, None),
        Some(share) => {
            let Split { train, test } = split_partition(&owners, share, asked.seed.derive("test"))
                .map_err(DataError::from)?;
            (train, Some(test))
        }
    };
    let own = set.agent_column(asked.agent).filter(|_| asked.partition.is_none());
    let inert = |text: String| if asked.spreadsheet { inert_rows(&text) } else { Ok(text) };
    let mut csv = owned_rows(table, &train, own)?;
    let target = set.target(asked.target);
    if !asked.corrupt.is_empty() {
        let target =
            target.as_deref().ok_or(PrepareError::NoTarget { data: Some(set.name.clone()) })?;
        let family = asked.model.unwrap_or_else(Family::of_any_classes);
        csv = corrupted_rows(&csv, target, family, asked.corrupt, asked.seed.derive("corrupt"))?;
    }
    let held = |test: &Partition| -> Result<ExportedRows, RunError> {
        Ok(ExportedRows { csv: inert(owned_rows(table, test, own)?)?, rows: test.owned() })
    };
    Ok(Exported {
        agents: train.agents().len(),
        train: ExportedRows { csv: inert(csv)?, rows: train.owned() },
        test: test.as_ref().map(held).transpose()?,
        target,
    })
}
