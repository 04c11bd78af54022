//! The `run.json` of an exact run.

use std::path::Path;

use corefed_core::read_json_bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use crate::header::RunKind;
use crate::header::{document, opened};
use crate::view::HEADER;
use crate::{AgentHeader, DataHeader, LogError, float};

/// What an exact run is: rules solved to their optima, each audited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExactHeader {
    /// Name for people.
    pub name: String,
    /// The rules, in the order they are shown.
    pub rules: Vec<String>,
    /// What every draw derives from.
    pub seed: u64,
    /// Free JSON: family and number of parameters.
    pub model: Value,
    /// What was solved on.
    pub data: DataHeader,
    /// Everybody who takes part, in the order of the data.
    pub agents: Vec<AgentHeader>,
    /// Tolerance of verdicts: gains up to this do not count.
    #[serde(with = "float")]
    #[cfg_attr(feature = "schema", schemars(with = "corefed_core::Number"))]
    pub tolerance: f64,
    /// Radius of the ball of predictors, > 0.
    #[serde(with = "float")]
    #[cfg_attr(feature = "schema", schemars(with = "corefed_core::Number"))]
    pub radius: f64,
}

impl ExactHeader {
    /// The text of `run.json`.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        document(RunKind::Exact, self)
    }
}

/// The kind of a run folder; `None` where there is no `run.json`.
pub fn run_kind(folder: impl AsRef<Path>) -> Result<Option<RunKind>, LogError> {
    let path = folder.as_ref().join(HEADER);
    if !path.is_file() {
        return Ok(None);
    }
    let bytes = read_json_bytes(&path).map_err(|source| LogError::read(&path, source))?;
    Ok(Some(opened(&path, &bytes)?.0))
}

/// The header of an exact run.
pub fn exact_header(folder: impl AsRef<Path>) -> Result<ExactHeader, LogError> {
    let path = folder.as_ref().join(HEADER);
    let bytes = read_json_bytes(&path).map_err(|source| LogError::read(&path, source))?;
    let (kind, fields, _) = opened(&path, &bytes)?;
    if kind != RunKind::Exact {
        return Err(LogError::NotExact { path });
    }
    serde_json::from_value(fields).map_err(|source| LogError::Header { path, source })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{RunFolder, testing};

    #[test]
    fn an_exact_run_reads_back_and_is_not_a_training() {
        let folder = tempfile::tempdir().unwrap();
        let training = testing::header();
        let header = ExactHeader {
            name: "hospitals".to_owned(),
            rules: vec!["core".to_owned(), "utilitarian".to_owned()],
            seed: 7,
            model: serde_json::json!({ "family": "logistic", "parameters": 4 }),
            data: training.data,
            agents: training.agents,
            tolerance: 1e-6,
            radius: 0.1 + 0.2,
        };
        assert_eq!(run_kind(folder.path()).unwrap(), None);
        fs::write(folder.path().join(HEADER), header.to_json().unwrap()).unwrap();
        assert_eq!(run_kind(folder.path()).unwrap(), Some(RunKind::Exact));
        assert_eq!(exact_header(folder.path()).unwrap(), header);
        let error = RunFolder::peek(folder.path()).unwrap_err();
        assert!(matches!(error, LogError::NotATraining { .. }), "{error}");
    }
}
