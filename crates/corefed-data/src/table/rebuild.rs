//! Tables made from other tables.

use super::{ColumnType, Table};
#[cfg(feature = "parquet")]
use super::{Note, Numbering};

impl Table {
    /// A table without rows whose columns have types of their own.
    #[cfg(feature = "parquet")]
    pub(crate) fn typed(
        file: &str,
        digest: String,
        columns: &[String],
        own_types: Vec<ColumnType>,
        notes: Vec<Note>,
    ) -> Self {
        Self { digest, own_types, notes, ..Self::excerpt(file, columns, Numbering::Rows) }
    }

    /// The same table without some rows.
    #[must_use]
    pub(crate) fn of_rows(&self, keep: &[bool]) -> Self {
        let mut table = self.emptied(self.columns.to_vec(), self.own_types.clone());
        for row in (0..self.rows()).filter(|&row| keep[row]) {
            table.push_row(self.line(row), (0..self.columns.len()).map(|k| self.cell(row, k)));
        }
        table
    }

    /// A table from the same file, still without rows.
    pub(crate) fn emptied(&self, columns: Vec<String>, own_types: Vec<ColumnType>) -> Self {
        Self {
            file: self.file.clone(),
            digest: self.digest.clone(),
            columns: columns.into(),
            text: String::new(),
            ends: Vec::new(),
            lines: Vec::new(),
            numbering: self.numbering,
            own_types,
            notes: self.notes.clone(),
        }
    }
}
