//! Parquet, without Arrow: one optional column per field.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use serde_json::Value;

use super::{failed, flat, float, text};
use crate::{Column, Kind, LogError, Row};

/// Records per row group: they are held in memory as columns.
const GROUP: usize = 1 << 16;

/// Writes records as Parquet. Counts are 64-bit integers, numbers doubles, lists and maps JSON
/// text; every column may be null.
pub(crate) fn export_parquet<R: Row>(
    records: impl IntoIterator<Item = Result<R, LogError>>,
    out: impl Write + Send,
) -> Result<(), LogError> {
    let fields = R::COLUMNS.iter().map(field).collect::<Result<_, _>>().map_err(failed)?;
    let schema = Type::group_type_builder("records").with_fields(fields).build().map_err(failed)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        // Without the version of this program, so that bytes change only with the records.
        .set_created_by("corefed".to_owned())
        .build();
    let mut writer =
        SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties)).map_err(failed)?;
    let mut columns = vec![Vec::new(); R::COLUMNS.len()];
    let mut count = 0;
    for record in records {
        for (column, (_, cell)) in columns.iter_mut().zip(flat(&record?)?) {
            column.push(cell);
        }
        count += 1;
        if count % GROUP == 0 {
            write_group(&mut writer, R::COLUMNS, &mut columns).map_err(failed)?;
        }
    }
    if count % GROUP != 0 {
        write_group(&mut writer, R::COLUMNS, &mut columns).map_err(failed)?;
    }
    writer.close().map_err(failed)?;
    Ok(())
}

fn field(column: &Column) -> Result<Arc<Type>, ParquetError> {
    let (physical, logical) = match column.kind {
        Kind::Whole => (Physical::INT64, None),
        Kind::Float => (Physical::DOUBLE, None),
        Kind::Truth => (Physical::BOOLEAN, None),
        Kind::Text | Kind::Json => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let builder = Type::primitive_type_builder(column.name, physical);
    let builder = builder.with_repetition(Repetition::OPTIONAL).with_logical_type(logical);
    builder.build().map(Arc::new)
}

/// Writes the cells gathered so far and forgets them.
fn write_group<W: Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    columns: &[Column],
    cells: &mut [Vec<Value>],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for (column, cells) in columns.iter().zip(cells) {
        if let Some(mut out) = group.next_column()? {
            match column.kind {
                Kind::Whole => write::<Int64Type>(&mut out, cells, Value::as_i64)?,
                Kind::Float => write::<DoubleType>(&mut out, cells, float)?,
                Kind::Truth => write::<BoolType>(&mut out, cells, Value::as_bool)?,
                Kind::Text | Kind::Json => {
                    let bytes =
                        |cell: &Value| text(cell).map(|text| ByteArray::from(text.as_str()));
                    write::<ByteArrayType>(&mut out, cells, bytes)?;
                }
            }
            out.close()?;
        }
        cells.clear();
    }
    group.close()?;
    Ok(())
}

fn write<D: DataType>(
    out: &mut SerializedColumnWriter<'_>,
    cells: &[Value],
    value: impl Fn(&Value) -> Option<D::T>,
) -> Result<(), ParquetError> {
    let values: Vec<Option<D::T>> = cells.iter().map(value).collect();
    let levels: Vec<i16> = values.iter().map(|value| value.is_some().into()).collect();
    let present: Vec<D::T> = values.into_iter().flatten().collect();
    out.typed::<D>().write_batch(&present, Some(&levels), None)?;
    Ok(())
}
