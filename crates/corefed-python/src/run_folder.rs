//! The folder of a run, for programs that train elsewhere: written by the code that writes our own.

use corefed_core::{AttestedCertificate, Weights};
use corefed_documents::{ANSWERED, Answered, CERTIFICATE, Document, SpecChange, to_json};
use corefed_log::{Checkpoint, LogError, RunFolder, RunHeader, Tensor, TensorData};
use corefed_run::{
    RoundFacts, RunError, attested_audit, audit_listed, known_changes, record_changes,
    utilities_csv, write_unjudged, write_verdict,
};
use corefed_sim::{Candidates, Terms};
use corefed_verify::check_attested;
use numpy::{PyArrayDyn, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::raise::{self, Mistake};

/// Round, arrays by name, state as JSON, and checkpoints that could not be used.
type Restored = (usize, Py<PyDict>, String, Vec<String>);

/// A setting that is not what it was: its name, what it was, what it is.
type ChangedKey = (String, Option<String>, Option<String>);

/// A run's folder, locked against other writers while this value lives.
#[pyclass]
pub(crate) struct RunWriter {
    folder: RunFolder,
    terms: Terms,
    samples: Vec<usize>,
    candidates: Candidates,
}

#[pymethods]
impl RunWriter {
    /// Starts a run; `header` is JSON with the fields of `run.json`.
    #[staticmethod]
    fn create(path: &str, header: &str, spec: &str) -> PyResult<Self> {
        let header: RunHeader = parse("header", header)?;
        let folder = RunFolder::create(path, &header, spec, None).map_err(|e| log(&e))?;
        Self::of(folder)
    }

    /// Opens a run to resume it; `restore` says from where.
    #[staticmethod]
    fn open(path: &str) -> PyResult<Self> {
        Self::of(RunFolder::open(path).map_err(|e| log(&e))?)
    }

    /// What the run is, as JSON.
    #[getter]
    fn header(&self) -> PyResult<String> {
        serde_json::to_string(self.folder.header()).map_err(|e| json("header", &e).into())
    }

    /// The settings it was started with.
    #[getter]
    fn spec(&self) -> &str {
        self.folder.spec()
    }

    /// The settings by which the newest checkpoint was made, where it says so.
    #[getter]
    fn made_by(&self) -> PyResult<Option<String>> {
        let found = self.folder.made_by().map_err(|e| log(&e))?;
        Ok(found.map(|(_, spec)| spec))
    }

    /// Takes the folder back to its newest whole checkpoint: its round, tensors and state, or
    /// `None` where there is none. `changed` are other settings to continue with, and the keys that differ from
    /// those of the checkpoint with what they were and are.
    #[pyo3(signature = (changed=None))]
    fn restore(
        &mut self,
        py: Python<'_>,
        changed: Option<(String, Vec<ChangedKey>)>,
    ) -> PyResult<Option<Restored>> {
        let restored = self.folder.restore().map_err(|e| log(&e))?;
        if let Some((spec, keys)) = changed {
            self.change(&spec, keys, restored.as_ref()).map_err(|error| raise::run(&error))?;
        }
        self.candidates = Candidates::default();
        let records = self.folder.agents().map_err(|e| log(&e))?;
        self.candidates.recall(records, &self.terms.names).map_err(|e| log(&e))?;
        let Some(Checkpoint { round, tensors, state }) = restored else { return Ok(None) };
        let arrays = PyDict::new(py);
        for Tensor { name, shape, data } in tensors {
            match data {
                TensorData::F32(values) => {
                    arrays.set_item(name, PyArrayDyn::from_owned_array(py, shaped(shape, values)?))
                }
                TensorData::F64(values) => {
                    arrays.set_item(name, PyArrayDyn::from_owned_array(py, shaped(shape, values)?))
                }
            }?;
        }
        let damaged = self.folder.damaged().iter();
        let damaged = damaged.map(|d| format!("{}: {}", d.path.display(), d.reason)).collect();
        Ok(Some((round, arrays.unbind(), state.to_string(), damaged)))
    }

    /// Writes a round and its agents; `facts` is JSON. Returns the round's record as JSON.
    fn append(&mut self, facts: &str) -> PyResult<String> {
        let facts: RoundFacts = parse("facts", facts)?;
        let (round, agents) = facts
            .records(&self.terms, &self.samples, &mut self.candidates)
            .map_err(|stranger| {
                Mistake::input("facts", format!("there is no agent `{stranger}` in this run"))
            })?;
        self.folder.append(&round, &agents).map_err(|e| log(&e))?;
        serde_json::to_string(&round).map_err(|e| json("facts", &e).into())
    }

    /// Writes a checkpoint of the last round; `state` is JSON.
    fn checkpoint(
        &mut self,
        number: usize,
        tensors: &Bound<'_, PyDict>,
        state: &str,
    ) -> PyResult<()> {
        let checkpoint =
            Checkpoint { round: number, tensors: read(tensors)?, state: parse("state", state)? };
        self.folder.checkpoint(&checkpoint).map_err(|e| log(&e).into())
    }

    /// Ends the run: one checkpoint is left, and everything is on the disk.
    fn finish(&mut self, number: usize, tensors: &Bound<'_, PyDict>, state: &str) -> PyResult<()> {
        let checkpoint =
            Checkpoint { round: number, tensors: read(tensors)?, state: parse("state", state)? };
        self.folder.finish(&checkpoint).map_err(|e| log(&e).into())
    }

    /// Replaces the newest good model.
    fn save_model(&mut self, tensors: &Bound<'_, PyDict>) -> PyResult<()> {
        self.folder.save_model(&read(tensors)?).map_err(|e| log(&e).into())
    }

    /// Judges the last model by what agents lose with it and with rivals, and writes `audit.json`,
    /// `utilities.csv`, `summary.md` and `report.html`. Earlier models of the run are rivals, too. `left_out` says
    /// which rivals there should have been, and why there were not. Returns the audit as JSON.
    fn audit(
        &self,
        losses: Vec<f64>,
        rivals: Vec<(String, Vec<f64>)>,
        left_out: Option<String>,
    ) -> PyResult<String> {
        let agents = self.terms.names.len();
        let wrong = |losses: &[f64]| {
            losses.len() != agents || !losses.iter().all(|l| l.is_finite() && *l >= 0.0)
        };
        if let Some(name) = rivals.iter().find(|(_, losses)| wrong(losses)).map(|(name, _)| name) {
            let message = format!("`{name}` needs a finite loss >= 0 of every agent");
            return Err(Mistake::input("rivals", message).into());
        }
        if wrong(&losses) {
            return Err(
                Mistake::input("losses", "a finite loss >= 0 of every agent is needed").into()
            );
        }
        let mut audit =
            audit_listed(self.folder.header(), &self.terms, &losses, rivals, &self.candidates);
        audit.search_failed = left_out;
        let changes = known_changes(&self.folder).map_err(|error| raise::run(&error))?;
        audit.warnings.extend(changes.sentences());
        let written = utilities_csv(&audit)
            .and_then(|table| Ok(self.folder.write("utilities.csv", &table)?))
            .and_then(|()| write_verdict(&self.folder, &audit))
            .and_then(|()| Ok(audit.to_json()?));
        Ok(written.map_err(|error| raise::run(&error))?)
    }

    /// Ends a run whose last model was not measured by everybody: `summary.md` and `report.html` without a verdict.
    fn unjudged(&self, rounds: usize) -> PyResult<()> {
        Ok(write_unjudged(&self.folder, rounds).map_err(|error| raise::run(&error))?)
    }

    /// Writes a certificate of agents that keep their rows, what they told, the audit that it proves,
    /// `summary.md` and `report.html`; all arguments are JSON, and so is the audit it returns. `ended` says why
    /// no more was asked.
    fn attested(&self, certificate: &str, ended: &str, answered: &str) -> PyResult<String> {
        let found: AttestedCertificate = parse("certificate", certificate)?;
        check_attested(&found).map_err(|error| raise::certificate(&error))?;
        let answered: Answered = parse("answered", answered)?;
        let mut audit = attested_audit(&found, parse("ended", ended)?);
        let mut written = || -> Result<String, RunError> {
            audit.warnings.extend(known_changes(&self.folder)?.sentences());
            self.folder.write(CERTIFICATE, &to_json(&found)?)?;
            self.folder.write(ANSWERED, &answered.to_json()?)?;
            write_verdict(&self.folder, &audit)?;
            Ok(audit.to_json()?)
        };
        Ok(written().map_err(|error| raise::run(&error))?)
    }

    /// Removes a file of the caller's, which may be absent.
    fn remove(&self, name: &str) -> PyResult<()> {
        self.folder.remove(name).map_err(|e| log(&e).into())
    }

    /// Writes a file of the caller's whole or not at all.
    fn write(&self, name: &str, text: &str) -> PyResult<()> {
        self.folder.write(name, text).map_err(|e| log(&e).into())
    }
}

impl RunWriter {
    /// Continues with other settings. They are written first: killed anywhere on the way, the folder has two kinds
    /// of settings, and is resumed by neither unless that is asked for again.
    fn change(
        &mut self,
        spec: &str,
        keys: Vec<ChangedKey>,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<(), RunError> {
        self.folder.change_spec(spec)?;
        let Some(checkpoint) = checkpoint else { return Ok(()) };
        let after_round = checkpoint.round;
        let change = |(key, then, now)| SpecChange { after_round, key, then, now };
        record_changes(&self.folder, after_round, keys.into_iter().map(change))?;
        Ok(self.folder.checkpoint(checkpoint)?)
    }

    fn of(folder: RunFolder) -> PyResult<Self> {
        let agents = &folder.header().agents;
        let weights = agents.iter().map(|agent| agent.weight).collect();
        let average = agents.iter().map(|agent| agent.average.unwrap_or(agent.weight)).collect();
        let terms = Terms {
            names: agents.iter().map(|agent| agent.name.clone()).collect(),
            weights: Weights::new(weights).map_err(|error| raise::weight("weights", error))?,
            average: Weights::new(average).map_err(|error| raise::weight("average", error))?,
            ceilings: agents.iter().map(|agent| agent.ceiling).collect(),
            radius: folder.header().radius.unwrap_or(f64::INFINITY),
            premise: false,
            nonnegative: Some("every reported loss"),
        };
        let samples = agents.iter().map(|agent| agent.samples).collect();
        Ok(Self { folder, terms, samples, candidates: Candidates::default() })
    }
}

fn shaped<T>(shape: Vec<usize>, values: Vec<T>) -> PyResult<numpy::ndarray::ArrayD<T>> {
    numpy::ndarray::ArrayD::from_shape_vec(shape, values)
        .map_err(|error| Mistake::input("checkpoint", error.to_string()).into())
}

/// Arrays by name as tensors, in double or single precision as they are.
fn read(tensors: &Bound<'_, PyDict>) -> PyResult<Vec<Tensor>> {
    let mut found = Vec::with_capacity(tensors.len());
    for (name, value) in tensors {
        let name: String = name.extract()?;
        let (shape, data) = if let Ok(array) = value.extract::<PyReadonlyArrayDyn<'_, f64>>() {
            (array.shape().to_vec(), TensorData::F64(array.as_array().iter().copied().collect()))
        } else if let Ok(array) = value.extract::<PyReadonlyArrayDyn<'_, f32>>() {
            (array.shape().to_vec(), TensorData::F32(array.as_array().iter().copied().collect()))
        } else {
            let found = format!("`{name}` is neither an array of float32 nor one of float64");
            return Err(Mistake::input("tensors", found).into());
        };
        found.push(Tensor { name, shape, data });
    }
    Ok(found)
}

/// Reads an argument that is JSON.
pub(crate) fn parse<T: serde::de::DeserializeOwned>(
    field: &'static str,
    text: &str,
) -> Result<T, Mistake> {
    serde_json::from_str(text).map_err(|error| json(field, &error))
}

fn json(field: &'static str, error: &serde_json::Error) -> Mistake {
    Mistake::input(field, format!("`{field}` is not what it should be: {error}"))
}

/// Strategies and aggregators name their folder with `run`.
fn log(error: &LogError) -> Mistake {
    let hint = error.hint().map(|hint| hint.replace("`@out`", "`run=`"));
    Mistake { hint, ..Mistake::input("path", error.to_string()) }
}
