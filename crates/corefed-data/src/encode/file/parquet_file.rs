//! A Parquet file, read column by column.
//!
//! The file knows its types: integers and floats are numbers, truth values and strings are text,
//! and a null is a missing cell. Rows are numbered, as there are no lines.

use std::fs::File;
use std::path::{Path, PathBuf};

use parquet::basic::{LogicalType, Type};
use parquet::column::reader::get_column_reader;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::grid::{Grid, Plan, Roles};
use super::parquet_bytes::StrictFile;
use super::parquet_column::{Kind, Stop, visit_column};
use super::parquet_pages::CheckedPages;
use super::source::Source;
use super::value::Value;
use crate::column_type::ColumnType;
use crate::contained::contained;
use crate::error::{DataError, Numbering};
use crate::names::excerpt;
use crate::note::Note;
use crate::table::header;
use crate::{Table, TableError, digest_file};

/// A Parquet file whose schema is known.
#[derive(Debug)]
pub(super) struct ParquetFile {
    path: PathBuf,
    head: Table,
    kinds: Vec<Kind>,
    guess: Vec<Plan>,
}

impl ParquetFile {
    /// Reads the schema.
    pub(super) fn open(path: &Path) -> Result<Self, DataError> {
        let file = path.display().to_string();
        let reader = reader(path)?;
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let names: Vec<String> = schema.columns().iter().map(|c| c.path().string()).collect();
        if names.is_empty() {
            return Err(TableError::Empty { file }.into());
        }
        let columns = header(&file, 1, names.iter().map(String::as_bytes))?;
        let kinds: Vec<Kind> = schema.columns().iter().map(|column| kind_of(column)).collect();
        let guess = kinds
            .iter()
            .map(|kind| match kind {
                Kind::Number | Kind::Unsigned => Plan::Number,
                Kind::Text | Kind::Unsupported(_) => Plan::Text,
            })
            .collect();
        let head = Table::excerpt(&file, &columns, Numbering::Rows);
        Ok(Self { path: path.to_owned(), head, kinds, guess })
    }

    /// All rows as text, with the types of the columns; columns that are neither numbers nor text are
    /// left out, and noted.
    pub(super) fn table(&self) -> Result<Table, DataError> {
        let supported = |column: usize| !matches!(self.kinds[column], Kind::Unsupported(_));
        let kept: Vec<usize> = (0..self.kinds.len()).filter(|&k| supported(k)).collect();
        let mut cells: Vec<Vec<String>> = vec![Vec::new(); self.kinds.len()];
        self.visit(supported, |column, _, value| cells[column].push(value.to_string()))?;
        let cell = |row: usize, column: usize| cells[column][row].as_str();
        let rows = kept.first().map_or(0, |&column| cells[column].len());
        if rows == 0 {
            return Err(TableError::NoRows { file: self.head.file().to_owned() }.into());
        }
        let columns: Vec<String> = kept.iter().map(|&k| self.head.columns()[k].clone()).collect();
        let types = self.types();
        let own = kept.iter().filter_map(|&k| types[k]).collect();
        let digest = digest_file(&self.path)?;
        let unsupported = self.kinds.iter().zip(self.head.columns());
        let notes = unsupported.filter_map(|(kind, name)| match kind {
            Kind::Unsupported(holds) => {
                Some(Note::Unsupported { column: name.clone(), holds: holds.clone() })
            }
            _ => None,
        });
        let mut table = Table::typed(self.head.file(), digest, &columns, own, notes.collect());
        for row in 0..rows {
            table.push_row(row + 1, kept.iter().map(|&k| cell(row, k)));
        }
        Ok(table)
    }

    fn damaged(&self, source: ParquetError) -> DataError {
        TableError::Parquet { path: self.path.clone(), source: source.into() }.into()
    }

    fn damaged_column(&self, column: usize, error: ParquetError) -> DataError {
        let why = match error {
            ParquetError::General(why) => why,
            other => other.to_string(),
        };
        let name = excerpt(&self.head.columns()[column]);
        self.damaged(ParquetError::General(format!("column `{name}`: {why}")))
    }

    /// Visits the cells of some columns, group of rows by group of rows.
    fn visit(
        &self,
        wanted: impl Fn(usize) -> bool,
        mut visitor: impl FnMut(usize, usize, Value<'_>),
    ) -> Result<(), DataError> {
        let reader = reader(&self.path)?;
        let mut before = 0;
        for group in 0..reader.num_row_groups() {
            let group = contained(|| reader.get_row_group(group)).map_err(|e| self.damaged(e))?;
            let mut rows = None;
            for (column, kind) in self.kinds.iter().enumerate().filter(|(c, _)| wanted(*c)) {
                let optional = group.metadata().column(column).column_descr().max_def_level() > 0;
                let damaged = |error| self.damaged_column(column, error);
                let values = contained(|| {
                    let told = group.metadata().column(column);
                    let pages = group.get_column_page_reader(column)?;
                    let pages = CheckedPages::new(pages, optional, cells_of(told));
                    let described = told.column_descr_ptr();
                    Ok(get_column_reader(described, Box::new(pages)))
                });
                let values = values.map_err(damaged)?;
                let found = visit_column(values, kind, optional, |row, value| {
                    visitor(column, before + row, value);
                });
                let found = found.map_err(|stop| match stop {
                    Stop::Damaged(error) => damaged(error),
                    Stop::NotText { row } => {
                        let file = self.head.file().to_owned();
                        TableError::NotUtf8 { file, line: before + row + 1, cell: None }.into()
                    }
                })?;
                if *rows.get_or_insert(found) != found {
                    let name = &self.head.columns()[column];
                    let why = format!("column {name} has {found} rows and others have more");
                    return Err(self.damaged(ParquetError::General(why)));
                }
            }
            before += rows.unwrap_or_default();
        }
        Ok(())
    }
}

impl Source for ParquetFile {
    fn head(&self) -> &Table {
        &self.head
    }

    fn types(&self) -> Vec<Option<ColumnType>> {
        let declared = |plan: &Plan| match plan {
            Plan::Number => ColumnType::Number,
            Plan::Skip | Plan::Text | Plan::LikelyText => ColumnType::Text,
        };
        self.guess.iter().map(|plan| Some(declared(plan))).collect()
    }

    fn guess(&self) -> &[Plan] {
        &self.guess
    }

    fn read(&self, plan: &[Plan], roles: Roles) -> Result<(Grid, String), DataError> {
        let file = || self.head.file().to_owned();
        if reader(&self.path)?.metadata().file_metadata().num_rows() < 1 {
            return Err(TableError::NoRows { file: file() }.into());
        }
        for (kind, (plan, name)) in self.kinds.iter().zip(plan.iter().zip(self.head.columns())) {
            if let (Kind::Unsupported(kind), true) = (kind, *plan != Plan::Skip) {
                let (column, kind) = (excerpt(name), kind.clone());
                return Err(TableError::Unsupported { file: file(), column, kind }.into());
            }
        }
        let mut grid = Grid::new(plan, roles, usize::MAX);
        self.visit(
            |column| plan[column] != Plan::Skip,
            |column, row, value| {
                grid.set(column, row, value);
            },
        )?;
        if grid.rows == 0 && plan.iter().any(|plan| *plan != Plan::Skip) {
            return Err(TableError::NoRows { file: file() }.into());
        }
        Ok((grid, digest_file(&self.path)?))
    }

    fn row(&self, row: usize) -> Result<Table, DataError> {
        let mut cells = vec![String::new(); self.kinds.len()];
        let supported = |column: usize| !matches!(self.kinds[column], Kind::Unsupported(_));
        self.visit(supported, |column, at, value| {
            if at == row {
                cells[column] = value.to_string();
            }
        })?;
        let mut table = self.head.clone();
        table.push_row(row + 1, cells.iter().map(String::as_str));
        Ok(table)
    }
}

fn reader(path: &Path) -> Result<SerializedFileReader<StrictFile>, TableError> {
    let failed = |source| TableError::Read { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let damaged =
        |source: ParquetError| TableError::Parquet { path: path.to_owned(), source: source.into() };
    let reader = contained(|| SerializedFileReader::new(StrictFile(file))).map_err(damaged)?;
    let columns = || reader.metadata().row_groups().iter().flat_map(RowGroupMetaData::columns);
    let cells = columns().fold(0_u64, |sum, column| sum.saturating_add(cells_of(column)));
    let most = most_cells(length);
    if cells > most {
        return Err(TableError::Cells { path: path.to_owned(), cells, most });
    }
    if let Some(column) = columns().find(|column| !lies_within(column, length)) {
        let name = excerpt(&column.column_path().string());
        let why = format!("column {name} is said to lie outside of the file");
        return Err(damaged(ParquetError::General(why)));
    }
    Ok(reader)
}

/// Cells that any file may hold.
const FREE_CELLS: u64 = 10_000_000;
/// Cells per byte that a larger one may hold: equal cells take next to nothing in a file, but not in memory.
const CELLS_PER_BYTE: u64 = 256;

fn most_cells(length: u64) -> u64 {
    FREE_CELLS.max(length.saturating_mul(CELLS_PER_BYTE))
}

fn cells_of(column: &ColumnChunkMetaData) -> u64 {
    column.num_values().try_into().unwrap_or(0)
}

/// Whether the bytes of a column are bytes of the file, which the crate takes for granted.
fn lies_within(column: &ColumnChunkMetaData, length: u64) -> bool {
    let begin = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
    let range = u64::try_from(begin).ok().zip(u64::try_from(column.compressed_size()).ok());
    let end = range.and_then(|(begin, size)| begin.checked_add(size));
    end.is_some_and(|end| end <= length)
        && column.data_page_offset() >= 0
        && column.uncompressed_size() >= 0
        && column.num_values() >= 0
}

/// Dates, times and decimals are stored as integers too, but are not the numbers they look like.
fn kind_of(column: &ColumnDescriptor) -> Kind {
    let unsupported = |what: String| Kind::Unsupported(what);
    if column.max_rep_level() > 0 || column.max_def_level() > 1 || column.path().parts().len() > 1 {
        return unsupported("nested values".to_owned());
    }
    match (column.physical_type(), column.logical_type_ref()) {
        // Old writers mark strings in another way, and some not at all.
        (Type::BOOLEAN | Type::BYTE_ARRAY, None)
        | (Type::BYTE_ARRAY, Some(LogicalType::String | LogicalType::Enum)) => Kind::Text,
        (Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE, None) => Kind::Number,
        (Type::INT32 | Type::INT64, Some(LogicalType::Integer(integer))) => {
            if integer.is_signed {
                Kind::Number
            } else {
                Kind::Unsigned
            }
        }
        (physical, None) => unsupported(physical.to_string()),
        (_, Some(logical)) => unsupported(format!("{logical:?}")),
    }
}
