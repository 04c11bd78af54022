//! A CSV file, read in one pass and in blocks.

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use sha2::Digest;

use super::Settings;
use super::grid::{Grid, Plan, Roles};
use super::scan::{Record, Scanner};
use super::source::Source;
use crate::column_type::ColumnType;
use crate::encode::decimal_cell::read_number;
use crate::encode::tally::Tally;
use crate::error::{DataError, Numbering};
use crate::table::{header, hexadecimal};
use crate::{Table, TableError};

/// Rows looked at to guess what the columns hold.
const SAMPLE: usize = 100;

/// A CSV file whose header is known.
#[derive(Debug)]
pub(super) struct CsvFile {
    path: PathBuf,
    settings: Settings,
    head: Table,
    guess: Vec<Plan>,
}

impl CsvFile {
    /// Reads the header and guesses what is below it.
    pub(super) fn open(path: &Path, settings: Settings) -> Result<Self, DataError> {
        let file = path.display().to_string();
        let mut columns: Result<Vec<String>, DataError> = Ok(Vec::new());
        let mut tallies: Vec<Tally> = Vec::new();
        let mut records = 0;
        scan(path, settings, |record| {
            if records == 0 {
                columns = line_at(path, record.offset)
                    .map_err(DataError::from)
                    .and_then(|line| Ok(header(&file, line, record.bytes())?));
                tallies.resize_with(record.len(), Tally::default);
            }
            for (tally, cell) in tallies.iter_mut().zip(record.texts()).filter(|_| records > 0) {
                tally.add(records, read_number(cell.trim()));
            }
            records += 1;
            let enough = records > SAMPLE || columns.is_err();
            if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if records == 0 {
            return Err(TableError::Empty { file }.into());
        }
        let head = Table::excerpt(&file, &columns?, Numbering::Lines);
        let guess = tallies
            .iter()
            .map(|tally| if tally.mostly_numbers() { Plan::Number } else { Plan::LikelyText })
            .collect();
        Ok(Self { path: path.to_owned(), settings, head, guess })
    }

    /// Why a record is not a row.
    fn bad(&self, record: &Record<'_>) -> DataError {
        let line = match line_at(&self.path, record.offset) {
            Ok(line) => line,
            Err(error) => return error.into(),
        };
        let file = self.head.file().to_owned();
        let (expected, found) = (self.head.columns().len(), record.len());
        if expected == found {
            TableError::NotUtf8 { file, line, cell: None }.into()
        } else {
            TableError::Ragged { file, line, expected, found, separator: ',' }.into()
        }
    }

    /// Whether a record has as many cells as the header, all of them text.
    fn is_row(&self, record: &Record<'_>) -> bool {
        let text = || record.bytes().all(|cell| std::str::from_utf8(cell).is_ok());
        record.len() == self.head.columns().len() && (record.is_text || text())
    }
}

impl Source for CsvFile {
    fn head(&self) -> &Table {
        &self.head
    }

    fn types(&self) -> Vec<Option<ColumnType>> {
        vec![None; self.guess.len()]
    }

    fn guess(&self) -> &[Plan] {
        &self.guess
    }

    fn read(&self, plan: &[Plan], roles: Roles) -> Result<(Grid, String), DataError> {
        let mut grid = Grid::new(plan, roles, self.settings.most_texts);
        let mut outcome = Ok(());
        let mut below_header = false;
        let scanner = scan(&self.path, self.settings, |record| {
            if !below_header {
                below_header = true;
            } else if self.is_row(record) {
                grid.push(record.texts());
            } else {
                outcome = Err(self.bad(record));
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        outcome?;
        if grid.rows == 0 {
            return Err(TableError::NoRows { file: self.head.file().to_owned() }.into());
        }
        Ok((grid, hexadecimal(&scanner.digest().finalize())))
    }

    fn row(&self, row: usize) -> Result<Table, DataError> {
        let mut found: Option<Result<Table, DataError>> = None;
        let mut records = 0;
        scan(&self.path, self.settings, |record| {
            records += 1;
            // The header is the first record.
            if records <= row + 1 {
                return ControlFlow::Continue(());
            }
            found = self.is_row(record).then(|| {
                let line = line_at(&self.path, record.offset)?;
                let mut table = self.head.clone();
                table.push_row(line, record.texts());
                Ok(table)
            });
            ControlFlow::Break(())
        })?;
        found.unwrap_or_else(|| Err(self.changed()))
    }
}

/// Visits the records of a file, header included.
fn scan(
    path: &Path,
    settings: Settings,
    visitor: impl FnMut(&Record<'_>) -> ControlFlow<()>,
) -> Result<Scanner<File>, TableError> {
    let visit = || {
        let mut scanner = Scanner::new(File::open(path)?, settings.block)?;
        scanner.visit(visitor)?;
        Ok(scanner)
    };
    visit().map_err(|source| TableError::Read { path: path.to_owned(), source })
}

/// The line of the byte at an offset, which is not a line end: `\n`, `\r\n` and a lone `\r` each end
/// a line.
fn line_at(path: &Path, offset: u64) -> Result<usize, TableError> {
    let count = || -> io::Result<usize> {
        let mut bytes = File::open(path)?.take(offset);
        let mut buffer = vec![0; 1 << 16];
        let (mut line, mut after_return) = (1, false);
        loop {
            let count = bytes.read(&mut buffer)?;
            if count == 0 {
                return Ok(line);
            }
            for &byte in &buffer[..count] {
                let pair = byte == b'\n' && after_return;
                line += usize::from(matches!(byte, b'\n' | b'\r') && !pair);
                after_return = byte == b'\r';
            }
        }
    };
    count().map_err(|source| TableError::Read { path: path.to_owned(), source })
}
