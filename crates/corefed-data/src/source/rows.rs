//! What a set holds.

use crate::{Images, Split, Table};

/// Rows of a table, or images.
#[derive(Clone, Debug)]
pub enum Rows {
    /// A table.
    Table(Table),
    /// Images with their classes.
    Images(Images),
}

impl From<Table> for Rows {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

impl From<Images> for Rows {
    fn from(images: Images) -> Self {
        Self::Images(images)
    }
}

/// Both parts of a set as rows.
pub(super) fn both<T: Into<Rows>>(split: Split<T>) -> Split<Rows> {
    Split { train: split.train.into(), test: split.test.into() }
}
