//! One training, from its first round to its verdict.

use std::io::Write;
use std::sync::atomic::AtomicBool;

use corefed_core::{Factors, Weights};
use corefed_log::{Checkpoint, RunFolder, Tensor};
use corefed_rules::Scalar;
use corefed_sim::{Engine, Federated, Outcome};
use corefed_spec::Train;
use serde_json::json;

use super::checkpoint::save;
use super::conclude::{Conclusion, Finding};
use super::events::Events;
use super::progress::RoundsProgress;
use super::rounds::{Ended, Ending, rounds};
use super::summary;
use super::watcher::{Watcher, listen, stopped};
use crate::coalitions::{COALITIONS, Coalitions};
use crate::commands::to_json;
use crate::failure::Failure;
use crate::report;

/// How much to say while training.
pub(crate) enum Talk<'a> {
    /// Progress on standard error.
    Progress(String),
    /// The same beside other trainings: it ends after the round in which somebody sets the flag.
    Beside(String, &'a AtomicBool),
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

impl Trained {
    /// Every agent's training loss at the end.
    pub(crate) fn losses(&self) -> Vec<f64> {
        let agents = self.result.as_ref().map_or(&[][..], |result| &result.last.agents);
        agents.iter().filter_map(|agent| agent.loss).collect()
    }

    /// The factors of an exact audit and who would leave, if there was one.
    pub(crate) fn exact(&self) -> Option<(Factors, Vec<String>)> {
        let conclusion = &self.result.as_ref()?.conclusion;
        let factors = Factors { kappa: conclusion.kappa, everybody: conclusion.everybody };
        conclusion.exact.then(|| (factors, conclusion.leaving.clone()))
    }
}

/// What a complete training found.
pub(crate) struct TrainedResult {
    pub(crate) conclusion: Conclusion,
    pub(crate) last: Outcome,
    pub(crate) weights: Weights,
    /// The model, class after class or layer after layer.
    pub(crate) params: Vec<f64>,
    pub(crate) text: String,
}

/// Where a run is written, and the checkpoint it goes on from.
pub(super) type Place = (RunFolder, Option<Checkpoint>);

pub(super) type Audit<'a, T> = &'a (dyn Fn(&[T], &Outcome) -> Finding + Sync);
pub(super) type Tensors<'a, T> = &'a (dyn Fn(&[T]) -> Vec<Tensor> + Sync);

/// Rounds, verdict, files.
pub(super) fn session<F: Federated>(
    engine: &mut Engine<'_, F>,
    train: &Train,
    (mut folder, restored): Place,
    talk: Talk<'_>,
    tensors: Tensors<'_, F::Scalar>,
    audit: Audit<'_, F::Scalar>,
) -> Result<Trained, Failure> {
    listen();
    let restored = restored.as_ref();
    let done = restored.map_or(0, |checkpoint| checkpoint.round);
    let progress = |what| Some(RoundsProgress::new(what, train.rounds.get(), done));
    let (progress, mut events, halt) = match talk {
        Talk::Progress(what) => (progress(what), None, None),
        Talk::Beside(what, halt) => (progress(what), None, Some(halt)),
        Talk::Json(out) => (None, Some(Events::new(out)), None),
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
    let mut watcher = Watcher { progress, events, tensorboard, halt, failure: None };
    let Ended { state, ending, last, elapsed } =
        rounds(engine, train, &mut folder, restored, tensors, &mut watcher)?;
    let Watcher { events, failure, .. } = watcher;
    if let Some(failure) = failure {
        return Err(failure);
    }
    let (rounds, seconds) = (state.round, elapsed.as_secs_f64());
    let interrupted = |events: Option<Events<'_>>| -> Result<Trained, Failure> {
        if let Some(mut events) = events {
            events.tell("interrupted", json!({ "round": rounds }))?;
        }
        Ok(Trained { rounds, seconds, result: None })
    };
    if ending == Ending::Interrupted {
        return interrupted(events);
    }
    let last = match last {
        Some(last) => last,
        None => last_outcome(&folder)?,
    };
    let mut finding = audit(&state.params, &last);
    if stopped() {
        // The audit may have been cut short, and a verdict must not depend on that.
        folder.checkpoint(&save(&state)?)?;
        return interrupted(events);
    }
    let conclusion = finding.conclusion();
    let weights = engine.terms().weights.clone();
    let text = summary::text(folder.header(), &last, &finding);
    match &mut finding {
        Finding::Exact(found) => {
            folder.write("audit.json", &to_json(&found.0)?)?;
            folder.write("certificate.json", &to_json(&found.1)?)?;
            if let Some(listed) = found.2.take() {
                folder.write(COALITIONS, &to_json(&Coalitions { models: vec![listed] })?)?;
            }
        }
        Finding::Bounds(found) => folder.write("audit.json", &to_json(found)?)?,
    }
    folder.write("summary.md", &summary::markdown(folder.header(), &last, &finding))?;
    let page = report::page(folder.path())?;
    folder.write(report::REPORT, &corefed_report::render(&page))?;
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
                "everybody": conclusion.everybody,
                "headroom": corefed_core::Number(conclusion.headroom),
                "log_welfare": last.round.log_welfare.map(corefed_core::Number),
                "accuracy": last.round.accuracy,
                "test_accuracy": last.round.test_accuracy,
            }),
        )?;
    }
    let params = state.params.iter().map(|p| p.to_f64()).collect();
    let result = TrainedResult { conclusion, last, weights, params, text };
    Ok(Trained { rounds, seconds, result: Some(result) })
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
