//! Which way a file is read.

use std::io::Read;
use std::path::Path;

use corefed_core::Writing;

use super::Settings;
use super::csv_file::CsvFile;
use super::source::Source;
use crate::error::DataError;
use crate::table::form::{Form, SAMPLE};
use crate::table::long_line::check_file;
use crate::table::packed::Packing;
use crate::{Table, TableError};

pub(super) fn open(path: &Path, settings: Settings) -> Result<Box<dyn Source>, DataError> {
    if is_parquet(path) {
        #[cfg(feature = "parquet")]
        return Ok(Box::new(super::parquet_file::ParquetFile::open(path)?));
        #[cfg(not(feature = "parquet"))]
        return Err(TableError::NoParquet { path: path.to_owned() }.into());
    }
    Ok(Box::new(CsvFile::open(path, settings)?))
}

/// Reads a file as a table of text: Parquet, if its name ends so, and else see [`Table::parse`].
pub fn read_table(path: &Path) -> Result<Table, DataError> {
    read_table_as(path, Writing::default())
}

/// The same where something is known of how text is written; Parquet says itself what its cells are.
pub fn read_table_as(path: &Path, told: Writing) -> Result<Table, DataError> {
    if !is_parquet(path) {
        return Table::read_as(path, told);
    }
    #[cfg(feature = "parquet")]
    return super::parquet_file::ParquetFile::open(path)?.table();
    #[cfg(not(feature = "parquet"))]
    return Err(TableError::NoParquet { path: path.to_owned() }.into());
}

/// Refuses text with a line of which not even a block is worth holding.
pub(super) fn check_lines(path: &Path) -> Result<(), TableError> {
    if is_parquet(path) { Ok(()) } else { check_file(path) }
}

/// Refuses to be told how a file is written that does not hold text.
pub fn check_writing(path: &Path, asked: Writing) -> Result<(), DataError> {
    if asked.is_recognised() || !is_parquet(path) {
        return Ok(());
    }
    Err(TableError::NoWriting { file: path.display().to_string() }.into())
}

/// A name that ends in `.parquet` is believed.
fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("parquet"))
}

/// Whether a file can be read without holding it: Parquet, or text with commas that is not packed.
pub(super) fn is_plain(path: &Path) -> bool {
    if is_stream(path) {
        return false;
    }
    let head = || -> std::io::Result<Vec<u8>> {
        let mut head = Vec::new();
        std::fs::File::open(path)?.take(SAMPLE as u64).read_to_end(&mut head)?;
        Ok(head)
    };
    is_parquet(path)
        || head().is_ok_and(|head| {
            let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
            Packing::of("", &head).is_ok_and(|packing| packing == Packing::None)
                && Form::of(text, Writing::default()) == Form::USUAL
        })
}

pub(super) fn is_stream(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir())
}
