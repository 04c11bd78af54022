//! The names of columns.

use std::collections::BTreeSet;

use super::TableError;
use crate::names::excerpt;

/// The names of columns, if they are distinct names.
pub(crate) fn header<'a>(
    file: &str,
    line: usize,
    cells: impl Iterator<Item = &'a [u8]>,
) -> Result<Vec<String>, TableError> {
    let mut columns = Vec::new();
    let mut seen = BTreeSet::new();
    for (i, cell) in cells.enumerate() {
        let name = std::str::from_utf8(cell)
            .map_err(|_| TableError::NotUtf8 { file: file.to_owned(), line, cell: None })?
            .trim();
        if name.is_empty() {
            let file = file.to_owned();
            return Err(TableError::UnnamedColumn { file, line, position: i + 1 });
        }
        if !seen.insert(name) {
            let (file, column) = (file.to_owned(), excerpt(name));
            return Err(TableError::DuplicateColumn { file, line, column });
        }
        columns.push(name.to_owned());
    }
    Ok(columns)
}
