//! Run folders as columns and arrays.

use std::path::PathBuf;

use corefed_documents::{AuditDocument, Document};
use corefed_log::{
    Kind, LogError, Records, Row, RunFolder, RunKind, TensorData, exact_header, run_kind,
};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;

use crate::raise::{self, Mistake};

/// An audit, read as the engine reads it, as JSON with every field of its kind.
#[pyfunction]
pub(crate) fn read_audit(path: PathBuf) -> PyResult<String> {
    let read = AuditDocument::read(&path).and_then(|audit| audit.to_json());
    Ok(read.map_err(|error| raise::run(&error.into()))?)
}

/// A spec as TOML, from JSON.
#[pyfunction]
pub(crate) fn spec_text(json: &str) -> PyResult<String> {
    let wrong = |error: &dyn std::fmt::Display| {
        Mistake::input("spec", format!("this cannot be written as a spec: {error}"))
    };
    let value: Value = serde_json::from_str(json).map_err(|error| wrong(&error))?;
    Ok(toml::to_string(&value).map_err(|error| wrong(&error))?)
}

/// A run's header; of a training also spec, records and model.
#[pyfunction]
pub(crate) fn read_run(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    if run_kind(&path).map_err(|error| unreadable(&error))? == Some(RunKind::Exact) {
        let header = exact_header(&path).map_err(|error| unreadable(&error))?;
        let found = PyDict::new(py);
        found.set_item("header", serde_json::to_string(&header).unwrap_or_default())?;
        for records in ["rounds", "agents", "model"] {
            found.set_item(records, PyDict::new(py))?;
        }
        return Ok(found);
    }
    let read = py.detach(|| -> Result<_, LogError> {
        let view = RunFolder::peek(&path)?;
        let (rounds, agents) = (table(view.rounds()?)?, table(view.agents()?)?);
        let model = view.model()?;
        Ok((view, rounds, agents, model))
    });
    let (view, rounds, agents, model) = read.map_err(|error| unreadable(&error))?;
    let found = PyDict::new(py);
    let header = serde_json::to_string(view.header()).unwrap_or_default();
    found.set_item("header", header)?;
    found.set_item("spec", view.spec())?;
    found.set_item("rounds", columns(py, rounds)?)?;
    found.set_item("agents", columns(py, agents)?)?;
    let tensors = PyDict::new(py);
    for tensor in model.unwrap_or_default() {
        let array = match tensor.data {
            TensorData::F32(values) => values.into_pyarray(py).reshape(tensor.shape)?.into_any(),
            TensorData::F64(values) => values.into_pyarray(py).reshape(tensor.shape)?.into_any(),
        };
        tensors.set_item(tensor.name, array)?;
    }
    found.set_item("model", tensors)?;
    Ok(found)
}

/// Values of a record type, column by column.
struct Table {
    columns: Vec<(&'static str, Kind, Vec<Value>)>,
}

fn table<R: Row>(records: Records<R>) -> Result<Table, LogError> {
    let mut columns: Vec<(&'static str, Kind, Vec<Value>)> =
        R::COLUMNS.iter().map(|column| (column.name, column.kind, Vec::new())).collect();
    for record in records {
        let Ok(Value::Object(mut fields)) = serde_json::to_value(record?) else { continue };
        for (name, _, values) in &mut columns {
            values.push(fields.remove(*name).unwrap_or_default());
        }
    }
    Ok(Table { columns })
}

fn columns(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyDict>> {
    let found = PyDict::new(py);
    for (name, kind, values) in table.columns {
        let missing = values.iter().any(Value::is_null);
        match kind {
            Kind::Float => found.set_item(name, floats(&values).into_pyarray(py))?,
            Kind::Whole if missing => found.set_item(name, floats(&values).into_pyarray(py))?,
            Kind::Whole => {
                let whole: Vec<i64> = values.iter().map(|v| v.as_i64().unwrap_or(-1)).collect();
                found.set_item(name, whole.into_pyarray(py))?;
            }
            Kind::Truth if !missing => {
                let truths: Vec<bool> = values.iter().map(|v| v == &Value::Bool(true)).collect();
                found.set_item(name, truths.into_pyarray(py))?;
            }
            Kind::Truth | Kind::Text | Kind::Json => {
                let cells = values.iter().map(|value| plain(py, value));
                found.set_item(name, PyList::new(py, cells.collect::<PyResult<Vec<_>>>()?)?)?;
            }
        }
    }
    Ok(found)
}

/// Absent numbers are not numbers; infinities are written as text.
fn floats(values: &[Value]) -> Vec<f64> {
    let number = |value: &Value| match value {
        Value::String(text) => text.parse().unwrap_or(f64::NAN),
        value => value.as_f64().unwrap_or(f64::NAN),
    };
    values.iter().map(number).collect()
}

/// JSON as Python's own objects.
fn plain<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::String(text) => Ok(text.into_pyobject(py)?.into_any()),
        Value::Null => Ok(py.None().into_bound(py)),
        value => py.import("json")?.call_method1("loads", (value.to_string(),)),
    }
}

fn unreadable(error: &LogError) -> Mistake {
    Mistake {
        class: "RunError",
        message: error.to_string(),
        field: Some("run_dir".to_owned()),
        hint: error.hint(),
        ..Mistake::default()
    }
}
