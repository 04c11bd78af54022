//! Runs of specs: solved exactly or trained by rounds.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use corefed_documents::{Document, WhatIfQuestion};
use corefed_log::next_free;
use corefed_run::{
    Event, EventStream, Level, PRECISIONS, RunError, Silent, StayError, StaySettings, Stop,
    TrainedRun, Which, find_spec, resume, run_exact, stay, stay_text, train,
};
use corefed_solve::Rule;
use corefed_spec::{Ceiling, Spec, TextError};
use pyo3::prelude::*;

use crate::raise::{self, Mistake};

/// How long Ctrl-C may wait to be noticed.
const TICK: Duration = Duration::from_millis(50);

/// What to run: a preset or a file by name, or the text of a spec with its name.
#[derive(FromPyObject)]
pub(crate) enum Wanted {
    Text((String, String)),
    Named(String),
}

/// How a run ended: its folder, and whether it was stopped before it was complete.
type Ended = (PathBuf, bool);

/// Runs a spec with some keys changed and gives its folder; `on_event` hears of every event as JSON.
#[pyfunction]
pub(crate) fn run_spec(
    py: Python<'_>,
    wanted: Wanted,
    settings: Vec<(String, String)>,
    out: Option<PathBuf>,
    data_dir: Option<PathBuf>,
    on_event: Bound<'_, PyAny>,
) -> PyResult<Ended> {
    watched(py, on_event, move |stop, send| {
        let data_dir = data_dir.as_deref();
        let spec = spec(&wanted, &settings)?;
        let path = out.unwrap_or_else(|| next_free("runs", &spec.name));
        if spec.train.is_some() {
            let trained = train(&spec, data_dir, &path, stop, &mut events(send))?;
            return Ok(ended(path, &trained));
        }
        let done = run_exact(&spec, data_dir, &path, stop, &Silent)?;
        Ok((path, done.is_none()))
    })
}

/// Continues a training from its newest checkpoint.
#[pyfunction]
pub(crate) fn resume_run(
    py: Python<'_>,
    path: PathBuf,
    data_dir: Option<PathBuf>,
    changed_spec: bool,
    on_event: Bound<'_, PyAny>,
) -> PyResult<Ended> {
    watched(py, on_event, move |stop, send| {
        let data_dir = data_dir.as_deref();
        let trained = resume(&path, data_dir, changed_spec, stop, &mut events(send))?;
        Ok(ended(path, &trained))
    })
}

/// Searches for a ceiling: the document as JSON, `None` when stopped.
#[pyfunction]
pub(crate) fn search_ceiling(
    py: Python<'_>,
    wanted: Wanted,
    settings: Vec<(String, String)>,
    policy: Option<String>,
    precision: f64,
    data_dir: Option<PathBuf>,
    on_event: Bound<'_, PyAny>,
) -> PyResult<Option<String>> {
    let policy = policy.map(|text| {
        let mistake =
            |why: TextError| Mistake::input("policy", format!("`policy` is `{text}`; {why}"));
        Ceiling::without_factor(&text).map_err(mistake)
    });
    let policy = policy.transpose()?;
    if !PRECISIONS.contains(&precision) {
        let message = format!("`precision` is {precision}; it must lie in [1e-6, 1)");
        return Err(Mistake::input("precision", message).into());
    }
    watched(py, on_event, move |stop, _| {
        let spec = spec(&wanted, &settings)?;
        let policy = policy.as_ref().unwrap_or(&spec.ceiling);
        let data_dir = data_dir.as_deref();
        let found = corefed_run::search_ceiling(&spec, policy, precision, data_dir, stop, &Silent)?;
        Ok(found.map(|document| document.to_json()).transpose()?)
    })
}

/// What `stay` is asked, as a dictionary of its keywords.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    rule: Option<String>,
    held_out: Option<f64>,
    split: String,
    repeats: usize,
    level: f64,
    margin: f64,
    support: usize,
    all: bool,
    coalitions: Option<usize>,
    questions: Vec<(String, Vec<String>)>,
    time_limit: Option<f64>,
}

impl Asked {
    fn settings(self, spec: &Spec) -> PyResult<StaySettings> {
        let wrong = |field: &'static str, reason: String| Mistake::input(field, reason);
        let rule = match (self.rule, &spec.train) {
            (None, _) => Rule::Core,
            (Some(_), Some(train)) => {
                let own = train.rule.label();
                let reason = format!("the spec trains by `{own}`; change it with `train__rule`");
                return Err(wrong("rule", reason).into());
            }
            (Some(name), None) => serde_json::from_value(name.clone().into())
                .map_err(|error| wrong("rule", format!("there is no rule `{name}`: {error}")))?,
        };
        let question = |name: String| {
            serde_json::from_value::<WhatIfQuestion>(name.into())
                .map_err(|error| wrong("questions", error.to_string()))
        };
        let questions = self.questions.into_iter().map(|(name, who)| Ok((question(name)?, who)));
        Ok(StaySettings {
            rule,
            share: StaySettings::share(self.held_out, spec),
            hold_out: self
                .split
                .parse()
                .map_err(|error: StayError| wrong("split", error.to_string()))?,
            repeats: self.repeats,
            level: Level::new(self.level).map_err(|error| wrong("level", error.to_string()))?,
            margin: self.margin,
            support: self.support,
            which: Which::asked(self.all, self.coalitions),
            questions: questions.collect::<Result<_, Mistake>>()?,
            time_limit: self.time_limit,
        })
    }
}

/// The answer of `stay` as JSON and in words.
#[pyfunction]
pub(crate) fn stay_spec(
    py: Python<'_>,
    wanted: Wanted,
    settings: Vec<(String, String)>,
    asked: Asked,
    data_dir: Option<PathBuf>,
    on_event: Bound<'_, PyAny>,
) -> PyResult<(String, String)> {
    let spec = spec(&wanted, &settings).map_err(|error| raise::run(&error))?;
    let settings = asked.settings(&spec)?;
    let found = watched(py, on_event, move |stop, _| {
        let Some(found) = stay(&spec, &settings, data_dir.as_deref(), stop, &Silent)? else {
            return Ok(None);
        };
        Ok(Some((found.to_json()?, stay_text(&found))))
    })?;
    // Who stops it raises, so that nothing is left to say.
    Ok(found.unwrap_or_default())
}

fn ended(path: PathBuf, trained: &TrainedRun) -> Ended {
    (path, trained.result.is_none())
}

pub(crate) fn spec(wanted: &Wanted, settings: &[(String, String)]) -> Result<Spec, RunError> {
    let spec = match wanted {
        Wanted::Named(name) => find_spec(name)?,
        Wanted::Text((name, text)) => Spec::parse(&format!("{name}.toml"), text)?,
    };
    let pairs: Vec<(&str, &str)> =
        settings.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    if pairs.is_empty() { Ok(spec) } else { Ok(spec.with_all(&pairs)?) }
}

/// Every event as a line of JSON.
fn events(send: &Sender<String>) -> EventStream<impl FnMut(&Event<'_>) -> ControlFlow<()>> {
    EventStream::new(move |event: &Event<'_>| {
        let told = serde_json::to_string(event).ok().and_then(|text| send.send(text).ok());
        // The receiver lives until this end is dropped.
        if told.is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
}

/// Works in a thread of its own, so that Ctrl-C is noticed at once: the run then ends where it can be
/// resumed, and only then the exception is raised.
pub(crate) fn watched<T: Send + 'static>(
    py: Python<'_>,
    on_event: Bound<'_, PyAny>,
    work: impl FnOnce(&Stop, &Sender<String>) -> Result<T, RunError> + Send + 'static,
) -> PyResult<T> {
    let (send, mut lines) = mpsc::channel();
    let stop = Stop::default();
    let obeying = stop.clone();
    let work = move || catch_unwind(AssertUnwindSafe(|| work(&obeying, &send)));
    let worker = thread::Builder::new().name("corefed".to_owned()).spawn(work)?;
    let mut raised: Option<PyErr> = None;
    loop {
        let waiting = &mut lines;
        let told = match py.detach(move || waiting.recv_timeout(TICK)) {
            Ok(line) if raised.is_none() => on_event.call1((line,)).map(drop),
            Ok(_) | Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if raised.is_none()
            && let Err(error) = told.and_then(|()| py.check_signals())
        {
            raised = Some(error);
            stop.ask();
        }
    }
    let ended = py.detach(move || worker.join());
    match (raised, ended) {
        (Some(error), _) => Err(error),
        (None, Ok(Ok(ended))) => Ok(ended.map_err(|error| raise::run(&error))?),
        (None, Ok(Err(_)) | Err(_)) => Err(Mistake {
            class: "CorefedError",
            message: "internal error".to_owned(),
            hint: Some("this is a bug of corefed; please report it with the spec".to_owned()),
            ..Mistake::default()
        }
        .into()),
    }
}
