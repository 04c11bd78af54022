//! What a file must offer to be encoded without holding its text.

use super::grid::{Grid, Plan, Roles};
use crate::column_type::ColumnType;
use crate::error::DataError;
use crate::{Table, TableError};

/// A file that can be read more than once.
pub(super) trait Source {
    /// Its columns, as a table without rows.
    fn head(&self) -> &Table;

    /// What the file itself says about the types of its columns.
    fn types(&self) -> Vec<Option<ColumnType>>;

    /// How each column is most likely to be read; a wrong guess costs a second reading.
    fn guess(&self) -> &[Plan];

    /// Reads all rows, of which there is at least one, with the digest of the file.
    fn read(&self, plan: &[Plan], roles: Roles) -> Result<(Grid, String), DataError>;

    /// A table of this row alone, for a message about it.
    fn row(&self, row: usize) -> Result<Table, DataError>;

    /// The file was not the same when it was read again.
    fn changed(&self) -> DataError {
        TableError::Changed { file: self.head().file().to_owned() }.into()
    }
}
