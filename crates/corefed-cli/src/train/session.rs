//! One training, from its data to its verdict.

use std::io::{Write, stderr};
use std::path::Path;

use corefed_core::Weights;
use corefed_data::Seed;
use corefed_log::{Checkpoint, RunFolder, Tensor};
use corefed_sim::{Engine, Federated, Outcome};
use corefed_spec::{Spec, Train};
use serde_json::json;

use super::checkpoint::save;
use super::conclude::{Conclusion, Finding};
use super::events::Events;
use super::header::{header, linear, linear_tensors, terms_of_images, terms_of_table};
use super::prepare::{FEDERATION, Prepared, prepare};
use super::progress::RoundsProgress;
use super::rounds::{Ended, Ending, rounds};
use super::summary;
use super::watcher::{Watcher, listen};
use crate::commands::to_json;
use crate::failure::Failure;
use crate::spec;

/// How much to say while training.
pub(crate) enum Talk<'a> {
    /// Progress on standard error.
    Progress(String),
    /// Events on standard output.
    Json(&'a mut dyn Write),
}

/// A training that has ended.
pub(crate) struct Trained {
    pub(crate) rounds: usize,
    pub(crate) seconds: f64,
    /// Absent when the training was interrupted.
    pub(crate) result: Option<TrainedResult>,
}

/// What a complete training found.
pub(crate) struct TrainedResult {
    pub(crate) conclusion: Conclusion,
    pub(crate) last: Outcome,
    pub(crate) weights: Weights,
    pub(crate) text: String,
}

/// Trains from the beginning into a new folder.
pub(crate) fn train(spec: &Spec, path: &Path, talk: Talk<'_>) -> Result<Trained, Failure> {
    let training = training(spec)?;
    let prepared = prepare(spec)?;
    let kept = spec::seen_from(spec, path);
    let header = header(&kept, training, &prepared);
    let partition = prepared.partition().map(corefed_data::PartitionFile::to_json);
    let mut folder = RunFolder::create(path, &header, &kept.to_toml(), partition.as_deref())?;
    if let Some(csv) = prepared.csv() {
        folder.write(FEDERATION, csv)?;
    }
    run(spec, training, &prepared, &mut folder, None, talk)
}

/// Continues a run from its newest checkpoint.
pub(crate) fn resume(path: &Path, talk: Talk<'_>) -> Result<Trained, Failure> {
    let mut folder = RunFolder::open(path)?;
    let name = path.join("spec.toml").display().to_string();
    let kept = Spec::parse(&name, folder.spec())?;
    let spec = kept.clone().relative_to(path);
    let training = training(&spec)?;
    let prepared = prepare(&spec)?;
    let now = header(&kept, training, &prepared);
    if now.data != folder.header().data {
        return Err(Failure::new(format!(
            "the data of `{}` have changed: digest {} is now {}",
            path.display(),
            excerpt(&folder.header().data.digest),
            excerpt(&now.data.digest)
        ))
        .hint("a run continues only on the very data it began with; start a new one"));
    }
    if now != *folder.header() {
        return Err(Failure::new(format!("`{}` was made by other settings", path.display()))
            .hint("was `spec.toml` or a file it names edited? start a new run instead"));
    }
    let checkpoint = folder.restore()?;
    for damaged in folder.damaged() {
        // Talk that cannot be written is not worth failing for.
        let _ = writeln!(
            stderr(),
            "warning: checkpoint `{}` cannot be used ({}); continuing from the one before",
            damaged.path.display(),
            damaged.reason
        );
    }
    run(&spec, training, &prepared, &mut folder, checkpoint.as_ref(), talk)
}

fn excerpt(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}

fn training(spec: &Spec) -> Result<&Train, Failure> {
    spec.train.as_ref().ok_or_else(|| {
        Failure::new(format!("`{}` has no `[train]`", spec.name))
            .hint("add `[train]` with a `rule`, or use `corefed run` to solve it exactly")
    })
}

impl Prepared {
    fn partition(&self) -> Option<&corefed_data::PartitionFile> {
        match self {
            Self::Table(run) => run.partition.as_ref(),
            Self::Images(run) => run.partition.as_ref(),
        }
    }

    fn csv(&self) -> Option<&str> {
        match self {
            Self::Table(run) => run.csv.as_deref(),
            Self::Images(_) => None,
        }
    }
}

fn run(
    spec: &Spec,
    train: &Train,
    prepared: &Prepared,
    folder: &mut RunFolder,
    restored: Option<&Checkpoint>,
    talk: Talk<'_>,
) -> Result<Trained, Failure> {
    match prepared {
        Prepared::Table(table) => {
            let federation = linear(table);
            let terms = terms_of_table(table);
            let losses = table.case.losses();
            let seed = Seed(spec.seed).derive("train");
            let mut engine = Engine::new(&federation, Some(&*losses), &terms, train, seed)?;
            let blocks = spec.model.blocks(table.case.encoding.classes.len());
            let tensors = |params: &[f64]| linear_tensors(params, blocks, spec.intercept);
            let limits = (spec.epsilon, spec.time_limit);
            let audit = |params: &[f64], last: &Outcome| {
                Finding::of_table(table, params, &terms, last, limits)
            };
            session(&mut engine, spec, folder, restored, talk, &tensors, &audit)
        }
        Prepared::Images(images) => {
            let terms = terms_of_images(images, spec.radius);
            let seed = Seed(spec.seed).derive("train");
            let mut engine = Engine::new(&images.federation, None, &terms, train, seed)?;
            let tensors = |params: &[f32]| linear_tensors(params, images.classes, true);
            let audit =
                |_: &[f32], last: &Outcome| Finding::of_bounds(&last.round, &terms, spec.epsilon);
            session(&mut engine, spec, folder, restored, talk, &tensors, &audit)
        }
    }
}

type Audit<'a, T> = &'a (dyn Fn(&[T], &Outcome) -> Finding + Sync);
type Tensors<'a, T> = &'a (dyn Fn(&[T]) -> Vec<Tensor> + Sync);

/// Rounds, verdict, files.
fn session<F: Federated>(
    engine: &mut Engine<'_, F>,
    spec: &Spec,
    folder: &mut RunFolder,
    restored: Option<&Checkpoint>,
    talk: Talk<'_>,
    tensors: Tensors<'_, F::Scalar>,
    audit: Audit<'_, F::Scalar>,
) -> Result<Trained, Failure> {
    let train = training(spec)?;
    listen();
    let done = restored.map_or(0, |checkpoint| checkpoint.round);
    let (progress, mut events) = match talk {
        Talk::Progress(what) => (Some(RoundsProgress::new(what, train.rounds.get(), done)), None),
        Talk::Json(out) => (None, Some(Events::new(out))),
    };
    if let Some(events) = &mut events {
        events.tell(
            "start",
            json!({
                "folder": folder.path().display().to_string(),
                "rule": folder.header().rule,
                "agents": folder.header().agents.len(),
                "parameters": engine.federation().dim(),
                "rounds": train.rounds,
                "resumed_after": restored.map(|checkpoint| checkpoint.round),
            }),
        )?;
    }
    let tensorboard = if train.record.tensorboard { Some(folder.tensorboard()?) } else { None };
    let mut watcher = Watcher { progress, events, tensorboard, failure: None };
    let Ended { state, ending, last, elapsed } =
        rounds(engine, train, folder, restored, tensors, &mut watcher)?;
    let Watcher { events, failure, .. } = watcher;
    if let Some(failure) = failure {
        return Err(failure);
    }
    let (rounds, seconds) = (state.round, elapsed.as_secs_f64());
    if ending == Ending::Interrupted {
        if let Some(mut events) = events {
            events.tell("interrupted", json!({ "round": rounds }))?;
        }
        return Ok(Trained { rounds, seconds, result: None });
    }
    let last = match last {
        Some(last) => last,
        None => last_outcome(folder)?,
    };
    let finding = audit(&state.params, &last);
    let conclusion = finding.conclusion();
    let weights = engine.terms().weights.clone();
    let text = summary::text(folder.header(), &last, &finding);
    match &finding {
        Finding::Exact(found) => {
            folder.write("audit.json", &to_json(&found.0)?)?;
            folder.write("certificate.json", &to_json(&found.1)?)?;
        }
        Finding::Bounds(found) => folder.write("audit.json", &to_json(found)?)?,
    }
    folder.write("summary.md", &summary::markdown(folder.header(), &last, &finding))?;
    folder.finish(&save(&state)?)?;
    if let Some(mut events) = events {
        events.tell(
            "end",
            json!({
                "folder": folder.path().display().to_string(),
                "rounds": rounds,
                "certified": ending == Ending::Certified,
                "seconds_rounds": seconds,
                "verdict": conclusion.verdict,
                "kappa": conclusion.kappa,
                "headroom": corefed_core::Number(conclusion.headroom),
                "log_welfare": last.round.log_welfare.map(corefed_core::Number),
                "accuracy": last.round.accuracy,
                "test_accuracy": last.round.test_accuracy,
            }),
        )?;
    }
    Ok(Trained { rounds, seconds, result: Some(TrainedResult { conclusion, last, weights, text }) })
}

/// The last evaluated round of a run that was already complete.
fn last_outcome(folder: &RunFolder) -> Result<Outcome, Failure> {
    let mut found = None;
    for round in folder.rounds()? {
        let round = round?;
        if round.log_welfare.is_some() {
            found = Some(round);
        }
    }
    let round = found.ok_or_else(|| Failure::new("the run has no evaluated round"))?;
    let mut agents = Vec::new();
    for agent in folder.agents()? {
        let agent = agent?;
        if agent.round == round.round {
            agents.push(agent);
        }
    }
    Ok(Outcome { round, agents, certified: false })
}
