//! The values of one column of a group of rows.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;

use super::value::Value;
use crate::contained::contained;

/// How the values of a column are understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    Unsigned,
    Text,
    /// What it is called.
    Unsupported(String),
}

/// Rows decoded at once.
const BATCH: usize = 4096;

/// Why a column cannot be read on.
#[derive(Debug)]
pub(super) enum Stop {
    Damaged(ParquetError),
    /// A string that is not UTF-8, in this row of the group.
    NotText {
        row: usize,
    },
}

/// Visits all values with their rows in the group, and says how many there are.
pub(super) fn visit_column(
    reader: ColumnReader,
    kind: &Kind,
    optional: bool,
    visitor: impl FnMut(usize, Value<'_>),
) -> Result<usize, Stop> {
    let unsigned = *kind == Kind::Unsigned;
    match reader {
        ColumnReader::BoolColumnReader(reader) => visit(reader, optional, visitor, |&value| {
            Some(Value::Text(if value { "true" } else { "false" }))
        }),
        ColumnReader::Int32ColumnReader(reader) => visit(reader, optional, visitor, |&value| {
            let whole = if unsigned { value.cast_unsigned().into() } else { i128::from(value) };
            Some(Value::Whole(whole))
        }),
        ColumnReader::Int64ColumnReader(reader) => visit(reader, optional, visitor, |&value| {
            let whole = if unsigned { value.cast_unsigned().into() } else { i128::from(value) };
            Some(Value::Whole(whole))
        }),
        ColumnReader::FloatColumnReader(reader) => {
            visit(reader, optional, visitor, |&value| Some(Value::Float(value.into())))
        }
        ColumnReader::DoubleColumnReader(reader) => {
            visit(reader, optional, visitor, |&value| Some(Value::Float(value)))
        }
        ColumnReader::ByteArrayColumnReader(reader) => {
            visit(reader, optional, visitor, |value: &ByteArray| {
                std::str::from_utf8(value.data()).ok().map(Value::Text)
            })
        }
        ColumnReader::Int96ColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => {
            Err(Stop::Damaged(ParquetError::General("a column is not what it was".to_owned())))
        }
    }
}

fn visit<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    optional: bool,
    mut visitor: impl FnMut(usize, Value<'_>),
    value_of: impl for<'a> Fn(&'a T::T) -> Option<Value<'a>>,
) -> Result<usize, Stop> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut row = 0;
    loop {
        values.clear();
        levels.clear();
        let defined = optional.then_some(&mut levels);
        let read = contained(|| reader.read_records(BATCH, defined, None, &mut values));
        let (records, _, _) = read.map_err(Stop::Damaged)?;
        if records == 0 {
            return Ok(row);
        }
        let mut present = values.iter();
        for index in 0..records {
            // Level zero is a null, which takes no value.
            let value = match levels.get(index) {
                Some(0) => Value::Missing,
                _ => match present.next() {
                    Some(value) => value_of(value).ok_or(Stop::NotText { row })?,
                    None => Value::Missing,
                },
            };
            visitor(row, value);
            row += 1;
        }
    }
}
