//! What an agent tells before anything is asked: its columns, and for least squares all there is to know.

use std::path::Path;

use corefed_core::{CountSummary, Encoding, Family, Feature, TargetSummary, Targets};
use corefed_data::{EncodeOptions, Table, TableSummary, apply, own_table, read_table};
use corefed_documents::Document;
use corefed_model::target_summaries;
use corefed_verify::AgentKey;
use serde::{Deserialize, Serialize};

use super::gram::OwnGram;
use crate::RunError;

/// `NAME.summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Who tells.
    pub agent: String,
    /// Its public key; absent for an agent that signs nothing.
    pub key: Option<String>,
    /// What its table is summarised for.
    pub family: Family,
    /// The column of agents, which its file need not have.
    pub agent_column: String,
    /// The column to predict.
    pub target_column: String,
    /// The column of exposures.
    pub exposure_column: Option<String>,
    /// Whether cells are taken as they are.
    pub raw: bool,
    /// Its columns.
    pub table: TableSummary,
    /// Averages of a target that is a count: with them the best common constant is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<CountSummary>,
    /// Products of columns, from which a least-squares loss follows everywhere: nothing else is ever asked.
    pub gram: Option<OwnGram>,
}

impl Document for Summary {
    const KIND: &'static str = "table-summary";
    const VERSION: u64 = 1;
}

impl Summary {
    /// Numbers in the table: rows times columns, the target included.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.table.rows.saturating_mul(self.table.columns.len() + 1)
    }
}

/// Summarises a file of an agent's own rows; a column of agents is not needed.
pub fn summarise(
    rows: &Path,
    agent: &str,
    options: &EncodeOptions,
    key: Option<&AgentKey>,
) -> Result<Summary, RunError> {
    let table = read_table(rows)?;
    let table = own_table(&table, &options.agent_column, Some(agent))?;
    let told = corefed_data::summarise(&table, options)?;
    let gram =
        if options.family.is_quadratic() { OwnGram::of(&table, &told, options)? } else { None };
    let counts = counts(&table, &told, options)?;
    Ok(Summary {
        agent: agent.to_owned(),
        key: key.map(AgentKey::public),
        family: options.family,
        agent_column: options.agent_column.clone(),
        target_column: options.target_column.clone(),
        exposure_column: options.exposure_column.clone(),
        raw: options.raw,
        table: told,
        counts,
        gram,
    })
}

/// Averages of counts over the rows that are used.
fn counts(
    table: &Table,
    told: &TableSummary,
    options: &EncodeOptions,
) -> Result<Option<CountSummary>, RunError> {
    if options.family.targets() != Targets::Count {
        return Ok(None);
    }
    let encoding = Encoding {
        agent_column: options.agent_column.clone(),
        target_column: options.target_column.clone(),
        exposure_column: options.exposure_column.clone(),
        classes: Vec::new(),
        target_scale: None,
        intake: told.intake.clone(),
        features: vec![Feature::Intercept],
    };
    let rows = apply(table, &encoding, options.family)?;
    Ok(target_summaries(&rows, options.family, 0).into_iter().find_map(|own| match own {
        TargetSummary::Counts(counts) => Some(counts),
        TargetSummary::Quantity { .. } | TargetSummary::Classes(_) => None,
    }))
}
