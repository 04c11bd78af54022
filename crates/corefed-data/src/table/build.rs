//! Tables from files that are not CSV with a header.

use super::{Numbering, Table, TableError, hex_digest};

/// A table under construction: columns known, rows to come.
#[derive(Debug)]
pub(crate) struct TableBuilder {
    table: Table,
}

impl TableBuilder {
    /// `file` names the source in errors; `bytes` are what it consists of, for the digest.
    pub(crate) fn new(file: &str, bytes: &[u8], columns: &[&str]) -> Self {
        let table = Table {
            file: file.to_owned(),
            digest: hex_digest(bytes),
            columns: columns.iter().map(|&name| name.to_owned()).collect::<Vec<_>>().into(),
            text: String::with_capacity(bytes.len()),
            ends: Vec::new(),
            lines: Vec::new(),
            numbering: Numbering::Lines,
            own_types: Vec::new(),
            notes: Vec::new(),
        };
        Self { table }
    }

    /// Bytes of the file as text.
    pub(crate) fn text<'a>(&self, bytes: &'a [u8]) -> Result<&'a str, TableError> {
        std::str::from_utf8(bytes).map_err(|error| {
            let before = &bytes[..error.valid_up_to()];
            let line = before.split(|&byte| byte == b'\n').count();
            TableError::NotUtf8 { file: self.table.file.clone(), line, cell: None }
        })
    }

    /// Rows so far.
    pub(crate) fn rows(&self) -> usize {
        self.table.lines.len()
    }

    /// Whether a row of this many cells fits.
    pub(crate) fn check_cells(&self, line: usize, found: usize) -> Result<(), TableError> {
        let expected = self.table.columns.len();
        if expected == found {
            return Ok(());
        }
        let file = self.table.file.clone();
        Err(TableError::Ragged { file, line, expected, found, separator: ',' })
    }

    /// Appends a row of trimmed cells that starts on `line`.
    pub(crate) fn push<'a>(
        &mut self,
        line: usize,
        cells: impl Iterator<Item = &'a str>,
    ) -> Result<(), TableError> {
        let before = self.table.ends.len();
        for cell in cells {
            self.table.text.push_str(cell);
            self.table.ends.push(self.table.text.len());
        }
        self.check_cells(line, self.table.ends.len() - before)?;
        self.table.lines.push(line);
        Ok(())
    }

    /// The table, which must have a row.
    pub(crate) fn finish(self) -> Result<Table, TableError> {
        if self.table.lines.is_empty() {
            return Err(TableError::Empty { file: self.table.file });
        }
        Ok(self.table)
    }
}
