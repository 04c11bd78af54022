//! Encoding files of any size: what is kept in memory is the encoded matrix, not the text.
//!
//! [`fit_file`] and [`apply_file`] give what [`fit`](super::fit) and [`apply`](super::apply) give
//! on the same file read as a [`Table`](crate::Table), bit for bit; where the quick way fails, that way is taken. A column is read as
//! numbers or as codes of its texts, whichever its first rows suggest; should later rows
//! disagree, the file is read a second time. Text that only a message needs is read again when
//! there is a message.

mod assemble;
mod csv_file;
mod cut;
mod dictionary;
mod grid;
#[cfg(feature = "parquet")]
mod grid_columns;
mod learn;
mod marks;
mod open;
#[cfg(feature = "parquet")]
mod parquet_bytes;
#[cfg(feature = "parquet")]
mod parquet_column;
#[cfg(feature = "parquet")]
mod parquet_file;
#[cfg(feature = "parquet")]
mod parquet_headers;
#[cfg(feature = "parquet")]
mod parquet_layout;
#[cfg(feature = "parquet")]
mod parquet_pages;
mod plan;
mod scan;
mod source;
#[cfg(feature = "parquet")]
mod value;

use std::path::Path;

use corefed_core::{Encoding, Family, Intake};

use self::assemble::{agents_of, assemble};
use self::grid::{Grid, Plan, Roles};
use self::open::{check_lines, is_plain, open};
pub use self::open::{check_writing, read_table, read_table_as};
use self::plan::{first_plan, plan_of};
use self::source::Source;
use super::layout::Layout;
use super::schema::Schema;
use super::{CellError, EncodeOptions, Encoded, finish, several, target_scale};
use crate::error::DataError;
use crate::{Agent, Federation};

/// A file encoded, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct FitFile {
    /// Encoding and rows.
    pub encoded: Encoded,
    /// SHA-256 of the bytes of the file, in hexadecimal.
    pub digest: String,
    /// The name of the file, as messages show it.
    pub file: String,
}

/// A file encoded with an encoding that was already there.
#[derive(Clone, Debug, PartialEq)]
pub struct AppliedFile {
    /// The rows.
    pub federation: Federation,
    /// SHA-256 of the bytes of the file, in hexadecimal.
    pub digest: String,
    /// The name of the file, as messages show it.
    pub file: String,
}

/// How a file is read; tests make everything small.
#[derive(Clone, Copy, Debug)]
struct Settings {
    /// Bytes read at once.
    block: usize,
    /// Distinct texts of a column before it is asked whether they are numbers.
    most_texts: usize,
}

/// Blocks and their marks fit into the second-level cache of most processors.
const SETTINGS: Settings = Settings { block: 1 << 18, most_texts: 1 << 16 };

/// Learns an encoding from a file, CSV or, if its name ends so, Parquet, and encodes the file with it.
///
/// Files that only need to be encoded are not held as text. Pipes, compressed files, other separators
/// than commas, and tables that something has to be decided about are.
pub fn fit_file(path: &Path, options: &EncodeOptions) -> Result<FitFile, DataError> {
    fit_with(path, options, SETTINGS)
}

fn fit_with(
    path: &Path,
    options: &EncodeOptions,
    settings: Settings,
) -> Result<FitFile, DataError> {
    check_lines(path)?;
    if options.takes_cells() && is_plain(path) {
        // Where this fails, the whole table has the better message, or a remedy.
        let quick = open(path, settings).and_then(|source| fit_source(&*source, options));
        if let Ok(found) = quick {
            return Ok(found);
        }
    }
    check_writing(path, options.written)?;
    let table = read_table_as(path, options.written)?;
    let encoded = super::fit(&table, options)?;
    let (digest, file) = (table.digest().to_owned(), table.file().to_owned());
    Ok(FitFile { encoded, digest, file })
}

/// Encodes a file, CSV or Parquet, with a given encoding, which is checked first: it may come from anywhere.
pub fn apply_file(
    path: &Path,
    encoding: &Encoding,
    family: Family,
) -> Result<AppliedFile, DataError> {
    apply_with(path, encoding, family, SETTINGS)
}

fn apply_with(
    path: &Path,
    encoding: &Encoding,
    family: Family,
    settings: Settings,
) -> Result<AppliedFile, DataError> {
    check_lines(path)?;
    if encoding.intake.is_nothing() && is_plain(path) {
        let quick =
            open(path, settings).and_then(|source| apply_source(&*source, encoding, family));
        if let Ok(found) = quick {
            return Ok(found);
        }
    }
    let table = read_table_as(path, encoding.intake.written)?;
    let federation = super::apply(&table, encoding, family)?;
    let (digest, file) = (table.digest().to_owned(), table.file().to_owned());
    Ok(AppliedFile { federation, digest, file })
}

fn fit_source(source: &dyn Source, options: &EncodeOptions) -> Result<FitFile, DataError> {
    let head = source.head();
    let mut schema = match Schema::of(head, options) {
        Ok(schema) => schema,
        Err(error) => return Err(unless_malformed(source, error)),
    };
    for (kind, own) in schema.types.iter_mut().zip(source.types()) {
        *kind = kind.or(own);
    }
    let roles = (Some(schema.agent), Some(schema.target));
    let plan = first_plan(source.guess(), &schema, options);
    let (mut grid, digest) = source.read(&plan, roles)?;
    if let Some(plan) = learn::better_plan(&grid, &plan, &schema, options) {
        drop(grid);
        let (again, digest_again) = source.read(&plan, roles)?;
        if digest_again != digest {
            return Err(source.changed());
        }
        grid = again;
    }
    let agents = owners(source, &grid, schema.agent)?;
    several(head.file(), &agents, options)?;
    let classes = learn::classes(source, &grid, &schema, options)?;
    let (features, notes) = learn::features(source, &grid, &agents, &schema, options)?;
    let mut encoding = Encoding {
        agent_column: options.agent_column.clone(),
        target_column: options.target_column.clone(),
        exposure_column: options.exposure_column.clone(),
        classes,
        target_scale: None,
        intake: Intake::default(),
        features,
    };
    let layout = Layout::of(&encoding, options.family)?;
    let federation = assemble(source, grid, agents, (&encoding, &layout), options.family)?;
    drop(layout);
    let encoded = finish(head.file(), options, &mut encoding, federation, notes)?;
    Ok(FitFile { encoded, digest, file: head.file().to_owned() })
}

fn apply_source(
    source: &dyn Source,
    encoding: &Encoding,
    family: Family,
) -> Result<AppliedFile, DataError> {
    let head = source.head();
    let agent = match head.column(&encoding.agent_column) {
        Ok(agent) => agent,
        Err(error) => return Err(unless_malformed(source, error)),
    };
    let mut plan = vec![Plan::Skip; head.columns().len()];
    plan[agent] = Plan::Text;
    let layout = match plan_of(head, encoding, family, &mut plan) {
        Ok(layout) => layout,
        Err(error) => {
            // A row without owner comes first.
            let (grid, _) = source.read(&plan, (Some(agent), None))?;
            owners(source, &grid, agent)?;
            return Err(error);
        }
    };
    let target = head.column(&encoding.target_column)?;
    let (grid, digest) = source.read(&plan, (Some(agent), Some(target)))?;
    let agents = owners(source, &grid, agent)?;
    let federation = assemble(source, grid, agents, (encoding, &layout), family)?;
    let federation = target_scale::standardised(federation, encoding)?;
    Ok(AppliedFile { federation, digest, file: head.file().to_owned() })
}

/// The agents, unless a row names none.
fn owners(source: &dyn Source, grid: &Grid, column: usize) -> Result<Vec<Agent>, DataError> {
    let names = grid.dictionary(column);
    if let Some((row, _)) = names.and_then(|names| names.firsts().find(|(_, n)| n.is_empty())) {
        let place = source.row(row)?.place(0, column);
        return Err(CellError::UnnamedAgent { place }.into());
    }
    Ok(agents_of(grid, column))
}

/// A malformed file is the first thing to say, whatever the header lacks.
fn unless_malformed(source: &dyn Source, error: DataError) -> DataError {
    let nothing: Roles = (None, None);
    let plan = vec![Plan::Skip; source.head().columns().len()];
    source.read(&plan, nothing).err().unwrap_or(error)
}

#[cfg(test)]
mod tests;
