//! What every column of a table is for.

use corefed_core::Family;

use super::{EncodeOptions, FitError};
use crate::Table;
use crate::column_type::ColumnType;
use crate::error::DataError;
use crate::names::excerpt;

/// What every column of a header is for.
#[derive(Debug)]
pub(super) struct Schema {
    /// Index of the column of owners.
    pub(super) agent: usize,
    /// Index of the column to predict.
    pub(super) target: usize,
    /// Index of the column of exposures.
    pub(super) exposure: Option<usize>,
    /// The declared type of every column; `None` lets its cells decide.
    pub(super) types: Vec<Option<ColumnType>>,
}

impl Schema {
    /// Finds the columns that the options name.
    pub(super) fn of(table: &Table, options: &EncodeOptions) -> Result<Self, DataError> {
        let agent = table.column(&options.agent_column)?;
        let target = table.column(&options.target_column)?;
        let file = || table.file().to_owned();
        if agent == target {
            let column = options.agent_column.clone();
            return Err(FitError::AgentIsTarget { file: file(), column }.into());
        }
        let exposure = match &options.exposure_column {
            Some(name) => Some(exposure(table, name, (agent, target), options.family)?),
            None => None,
        };
        let mut types = vec![None; table.columns().len()];
        for (name, kind) in &options.types {
            let index = table.column(name)?;
            let column = excerpt(name);
            if index == agent || index == target {
                return Err(FitError::TypedRole { file: file(), column }.into());
            }
            if exposure == Some(index) {
                return Err(FitError::TypedExposure { file: file(), column }.into());
            }
            if types[index].replace(*kind).is_some() {
                return Err(FitError::TypedTwice { file: file(), column }.into());
            }
        }
        for (index, kind) in types.iter_mut().enumerate() {
            *kind = kind.or(table.own_type(index));
        }
        if options.raw {
            // Raw data are numbers; a type that was asked for by name still counts.
            for kind in &mut types {
                kind.get_or_insert(ColumnType::Number);
            }
        }
        Ok(Self { agent, target, exposure, types })
    }

    /// The columns that may become features, in the order of the file.
    pub(super) fn features(&self) -> impl Iterator<Item = usize> {
        let roles = [Some(self.agent), Some(self.target), self.exposure];
        (0..self.types.len()).filter(move |&index| !roles.contains(&Some(index)))
    }
}

/// The column of exposures, which must have no other role.
fn exposure(
    table: &Table,
    name: &str,
    (agent, target): (usize, usize),
    family: Family,
) -> Result<usize, DataError> {
    let (file, index) = (table.file().to_owned(), table.column(name)?);
    let column = excerpt(name);
    if !family.takes_exposure() {
        return Err(FitError::NoExposure { file, column, family }.into());
    }
    if index == agent || index == target {
        return Err(FitError::ExposureTaken { file, column }.into());
    }
    Ok(index)
}
