//! Records as tables for other tools: CSV, and Parquet.

mod csv;
mod file;
#[cfg(feature = "parquet")]
mod parquet;

use csv::export_csv;
pub use file::{RecordTable, export_file};
#[cfg(feature = "parquet")]
use parquet::export_parquet;

use serde_json::{Map, Value};

use crate::{LogError, Row};

/// A record as the flat JSON that its line is.
pub(crate) fn flat<R: Row>(record: &R) -> Result<Map<String, Value>, LogError> {
    match serde_json::to_value(record) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Ok(Map::new()),
        Err(error) => Err(failed(error)),
    }
}

/// A cell as a number, if it is one.
pub(crate) fn float(cell: &Value) -> Option<f64> {
    match cell {
        Value::Number(number) => number.as_f64(),
        Value::String(text) if text == "inf" => Some(f64::INFINITY),
        Value::String(text) if text == "-inf" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// A cell as text; `None` for null. Lists and maps are JSON.
fn text(cell: &Value) -> Option<String> {
    match cell {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> LogError {
    LogError::Export { source: Box::new(error) }
}

#[cfg(test)]
mod tests;
