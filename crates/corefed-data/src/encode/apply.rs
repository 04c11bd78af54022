//! Encoding the rows of a table with an encoding that is already there.

use corefed_core::{Encoding, Family};

use super::agents::Owners;
use super::columns::number;
use super::intake::{changed, taken};
use super::layout::{Group, Layout, Numeric};
use super::{CellError, Missing, exposure, target, target_scale};
use crate::error::DataError;
use crate::names::{excerpt, nearest};
use crate::reading::is_within_limit;
use crate::{Design, Federation, Table};

/// Encodes a table with a given encoding, which is checked first: it may come from anywhere.
///
/// Columns that the encoding does not speak of are ignored. The agents are those of the table,
/// one or more. On the table it was fitted to, this gives the federation of
/// [`fit`](super::fit) bit for bit.
pub fn apply(table: &Table, encoding: &Encoding, family: Family) -> Result<Federation, DataError> {
    let table = taken(table, encoding, family)?;
    let owners = Owners::of(&table, table.column(&encoding.agent_column)?)?;
    let federation = encode(&table, owners, encoding, family)?;
    Ok(target_scale::standardised(federation, encoding)?)
}

/// Encodes the features of every row, in file order, for prediction: neither agent nor target column
/// is needed.
pub fn apply_features(
    table: &Table,
    encoding: &Encoding,
    family: Family,
) -> Result<Design, DataError> {
    let table = changed(table, &encoding.intake)?;
    let rows: Vec<usize> = (0..table.rows()).collect();
    design(&table, &rows, encoding, family)
}

/// Encodes rows that are already grouped by agent; the target stays as it is.
pub(super) fn encode(
    table: &Table,
    owners: Owners,
    encoding: &Encoding,
    family: Family,
) -> Result<Federation, DataError> {
    let design = design(table, &owners.rows, encoding, family)?;
    let target_column = table.column(&encoding.target_column)?;
    let columns = (target_column, table.column(&encoding.agent_column)?);
    let family = (family, &encoding.classes[..]);
    let target = target::encode(table, columns, &owners.rows, family)?;
    let exposure = exposure::of_rows(table, &owners.rows, encoding)?;
    Ok(Federation::new(design, target, owners.agents).with_exposure(exposure))
}

/// Encodes the features of some rows.
fn design(
    table: &Table,
    chosen: &[usize],
    encoding: &Encoding,
    family: Family,
) -> Result<Design, DataError> {
    let layout = Layout::of(encoding, family)?;
    let numeric = located(table, &layout.numeric, |numeric| numeric.column)?;
    let groups = located(table, &layout.groups, |group| group.column)?;

    let rows = chosen.len();
    let hot_cols = groups.len() + usize::from(layout.intercept.is_some());
    let mut dense = Vec::with_capacity(rows * numeric.len());
    let mut hot = Vec::with_capacity(rows * hot_cols);
    for &row in chosen {
        for &(column, feature) in &numeric {
            dense.push(standardised(table, row, column, feature)?);
        }
        for &(column, group) in &groups {
            hot.push(level(table, row, column, group)?);
        }
        hot.extend(layout.intercept);
    }
    Ok(Design::new(rows, layout.dim, (numeric.len(), dense), (hot_cols, hot))?)
}

/// Pairs every item with the index of its raw column in the table.
pub(super) fn located<'a, T>(
    table: &Table,
    items: &'a [T],
    column: impl Fn(&'a T) -> &'a str,
) -> Result<Vec<(usize, &'a T)>, DataError> {
    items.iter().map(|item| Ok((table.column(column(item))?, item))).collect()
}

pub(super) fn standardised(
    table: &Table,
    row: usize,
    column: usize,
    feature: &Numeric<'_>,
) -> Result<f64, CellError> {
    let raw = match number(table, row, column) {
        Err(CellError::Missing { place, cell, .. }) => feature
            .missing
            .ok_or(CellError::Missing { place, cell, remedy: Some(Missing::Mean) })?,
        other => other?,
    };
    let value = (raw - feature.mean) / feature.scale;
    if is_within_limit(value) {
        return Ok(value);
    }
    let (place, cell) = (table.place(row, column), excerpt(table.cell(row, column)));
    Err(CellError::TooFar { place, cell, mean: feature.mean, scale: feature.scale })
}

pub(super) fn level(
    table: &Table,
    row: usize,
    column: usize,
    group: &Group<'_>,
) -> Result<u32, CellError> {
    let cell = table.cell(row, column);
    group.levels.get(cell).copied().ok_or_else(|| {
        let known: Vec<&str> = group.levels.keys().copied().collect();
        CellError::UnseenLevel {
            place: table.place(row, column),
            cell: excerpt(cell),
            nearest: nearest(cell, &known).map(excerpt),
        }
    })
}
