//! A CSV file in memory: a header and cells of text, not yet interpreted.
//!
//! All cells live in one string, cut by a list of offsets. Adult (32,561 rows of 15 cells)
//! takes 8 MB this way, and reading it is one pass with no allocation per cell.

mod build;
mod columns;
mod digest;
pub(crate) mod form;
mod header;
mod lines;
pub(crate) mod long_line;
pub(crate) mod packed;
mod rebuild;
mod times;

use std::path::Path;

pub(crate) use build::TableBuilder;
use columns::Columns;
use corefed_core::Writing;
pub use digest::digest_file;
use digest::hex_digest;
pub(crate) use digest::hexadecimal;
use form::{Form, decimal_comma};
pub(crate) use header::header;
use lines::Lines;
use long_line::{LONGEST, long_line};
use packed::{Packing, most_unpacked};

use crate::column_type::ColumnType;
use crate::error::{DataError, Numbering, Place, TableError};
use crate::names::{excerpt, nearest};
use crate::note::Note;

/// Rows of text cells under distinct, non-empty column names; at least one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    file: String,
    digest: String,
    columns: Columns,
    text: String,
    /// Where each cell ends in `text`, row by row.
    ends: Vec<usize>,
    /// The line of the file on which each row starts.
    lines: Vec<usize>,
    numbering: Numbering,
    /// What the file itself says of its columns; empty if it says nothing.
    own_types: Vec<ColumnType>,
    /// What is unusual about the way it is written.
    notes: Vec<Note>,
}

impl Table {
    /// Reads a file of text; see [`Table::parse`].
    pub fn read(path: &Path) -> Result<Self, DataError> {
        Self::read_as(path, Writing::default())
    }

    /// The same where something is known of how the file is written.
    pub(crate) fn read_as(path: &Path, told: Writing) -> Result<Self, DataError> {
        long_line::check_file(path)?;
        let bytes = std::fs::read(path)
            .map_err(|source| TableError::Read { path: path.to_owned(), source })?;
        Self::parse_as(&path.display().to_string(), &bytes, told)
    }

    /// Parses text with a header line. Cells are separated by commas, or by semicolons or tabs where
    /// commas do not do; they are trimmed, blank lines skipped, and a byte order mark ignored. Gzip and
    /// zstd are opened. `file` names the source in errors.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, DataError> {
        Self::parse_as(file, bytes, Writing::default())
    }

    fn parse_as(file: &str, bytes: &[u8], told: Writing) -> Result<Self, DataError> {
        let digest = hex_digest(bytes);
        let packing = Packing::of(file, bytes)?;
        let unpacked;
        let bytes = if packing == Packing::None {
            bytes
        } else {
            unpacked = packing.unpack(file, bytes, most_unpacked(bytes.len()))?;
            // What was packed may be no text either.
            Packing::of(file, &unpacked)?;
            // Reading from memory does not fail.
            if let Ok(Some(line)) = long_line(&unpacked[..], LONGEST) {
                let (file, most) = (file.to_owned(), LONGEST);
                return Err(TableError::LongLine { file, line, most }.into());
            }
            &unpacked
        };
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let form = Form::of(bytes, told);
        let unpacked = packing.name().map(|how| Note::Unpacked { how: how.to_owned() });
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(form.separator)
            .from_reader(bytes);
        let mut lines = Lines::new(bytes);
        let mut record = csv::ByteRecord::new();
        let mut table = Self {
            file: file.to_owned(),
            digest,
            columns: Columns::default(),
            text: String::with_capacity(bytes.len()),
            ends: Vec::new(),
            lines: Vec::new(),
            numbering: Numbering::Lines,
            own_types: Vec::new(),
            notes: unpacked.into_iter().chain(form.notes()).collect(),
        };
        while reader
            .read_byte_record(&mut record)
            .map_err(|e| TableError::Read { path: file.into(), source: e.into() })?
        {
            let start = record.position().map_or(0, csv::Position::byte);
            let line = lines.at(usize::try_from(start).unwrap_or(usize::MAX));
            if record.as_slice().len() > LONGEST {
                let (file, most) = (file.to_owned(), LONGEST);
                return Err(TableError::LongLine { file, line, most }.into());
            }
            if table.columns.is_empty() {
                table.columns = header(file, line, record.iter())?.into();
            } else {
                table.push(line, &record, form)?;
            }
        }
        if table.columns.is_empty() {
            return Err(TableError::Empty { file: table.file }.into());
        }
        if table.lines.is_empty() {
            return Err(TableError::NoRows { file: table.file }.into());
        }
        Ok(table)
    }

    /// The name of the file, as given.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// SHA-256 of the bytes of the file, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The header.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Number of rows below the header, at least one.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.lines.len()
    }

    /// The line of the file on which a row starts; the header is usually line 1.
    #[must_use]
    pub fn line(&self, row: usize) -> usize {
        self.lines[row]
    }

    /// One trimmed cell, by row and column from zero.
    #[must_use]
    pub fn cell(&self, row: usize, column: usize) -> &str {
        let index = row * self.columns.len() + column;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start..self.ends[index]]
    }

    /// Index of a column by its name.
    pub fn column(&self, name: &str) -> Result<usize, DataError> {
        let index = self.columns.find(name).ok_or_else(|| TableError::MissingColumn {
            file: self.file.clone(),
            column: excerpt(name),
            present: self.columns.to_vec(),
            nearest: nearest(name, &self.columns).map(ToOwned::to_owned),
        })?;
        Ok(index)
    }

    /// A table of columns that has no rows, or few of the file's, to speak about them.
    pub(crate) fn excerpt(file: &str, columns: &[String], numbering: Numbering) -> Self {
        Self {
            file: file.to_owned(),
            digest: String::new(),
            columns: columns.to_vec().into(),
            text: String::new(),
            ends: Vec::new(),
            lines: Vec::new(),
            numbering,
            own_types: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds a row of as many cells as there are columns, untrimmed.
    pub(crate) fn push_row<'a>(&mut self, line: usize, cells: impl Iterator<Item = &'a str>) {
        for cell in cells {
            self.text.push_str(cell.trim());
            self.ends.push(self.text.len());
        }
        self.lines.push(line);
    }

    /// Where one cell is.
    #[must_use]
    pub fn place(&self, row: usize, column: usize) -> Place {
        Place {
            file: self.file().into(),
            line: self.line(row),
            numbering: self.numbering(),
            column: excerpt(&self.columns()[column]).into(),
        }
    }

    /// What the file itself says of a column.
    pub(crate) fn own_type(&self, column: usize) -> Option<ColumnType> {
        self.own_types.get(column).copied()
    }

    /// What is unusual about the way the file is written.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// What `line` counts.
    pub(crate) fn numbering(&self) -> Numbering {
        self.numbering
    }

    fn push(
        &mut self,
        line: usize,
        record: &csv::ByteRecord,
        form: Form,
    ) -> Result<(), TableError> {
        let (expected, found) = (self.columns.len(), record.len());
        if expected != found {
            let (file, separator) = (self.file.clone(), char::from(form.separator));
            return Err(TableError::Ragged { file, line, expected, found, separator });
        }
        for (column, cell) in record.iter().enumerate() {
            let cell = std::str::from_utf8(cell).map_err(|_| TableError::NotUtf8 {
                file: self.file.clone(),
                line,
                cell: Some((excerpt(&self.columns[column]), as_latin1(cell))),
            })?;
            let cell = cell.trim();
            match form.decimal_comma.then(|| decimal_comma(cell)).flatten() {
                Some(number) => self.text.push_str(&number),
                None => self.text.push_str(cell),
            }
            self.ends.push(self.text.len());
        }
        self.lines.push(line);
        Ok(())
    }
}

/// The text that bytes of one character each would be.
fn as_latin1(bytes: &[u8]) -> String {
    excerpt(&bytes.iter().map(|&byte| char::from(byte)).collect::<String>())
}

#[cfg(test)]
mod tests;
