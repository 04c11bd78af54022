//! One training, from its first round to its verdict.

use std::ops::ControlFlow;
use std::time::Duration;

use corefed_core::{Factors, Weights};
use corefed_documents::{
    AUDIT, AuditDocument, CERTIFICATE, COALITIONS, Coalitions, Document, SUMMARY, to_json,
};
use corefed_log::{Checkpoint, LogError, RunFolder, RunHeader, Tensor, TensorBoard};
use corefed_report::{folder as pages, render, summary};
use corefed_rules::Scalar;
use corefed_sim::{Engine, Federated, Outcome};
use corefed_spec::Train;

use super::changed;
use super::checkpoint::save;
use super::conclude::Finding;
use super::rounds::{Ended, Ending, kept, rounds};
use crate::observer::{End, Start};
use crate::{Observer, RunError, Stop, TrainingError};

/// A training that has ended.
#[derive(Debug)]
pub struct TrainedRun {
    /// Rounds that were made, by this process or earlier ones.
    pub rounds: usize,
    /// Time spent in rounds, records and checkpoints.
    pub elapsed: Duration,
    /// Absent when the training was interrupted.
    pub result: Option<TrainedResult>,
}

/// What a complete training found.
#[derive(Debug)]
pub struct TrainedResult {
    /// What the run is.
    pub header: RunHeader,
    /// The verdict on its model.
    pub audit: AuditDocument,
    /// Whether programs over all coalitions decided it, with a certificate.
    pub exact: bool,
    /// The round whose model the run keeps: the last in which everybody was measured, or the best.
    pub last: Outcome,
    /// The say of each agent.
    pub weights: Weights,
    /// The model, class after class or layer after layer.
    pub params: Vec<f64>,
}

impl TrainedResult {
    /// Every agent's training loss at the end.
    #[must_use]
    pub fn losses(&self) -> Vec<f64> {
        self.last.agents.iter().filter_map(|agent| agent.loss).collect()
    }

    /// Every agent's loss on held-out rows, if all held some out.
    #[must_use]
    pub fn held_out_losses(&self) -> Option<Vec<f64>> {
        self.last.agents.iter().map(|agent| agent.held_out_loss).collect()
    }

    /// Mean accuracy on held-out rows, by the weights of averages, as records have it for training rows; if all kept
    /// some.
    #[must_use]
    pub fn held_out_accuracy(&self) -> Option<f64> {
        let (mut sum, mut total) = (0.0, 0.0);
        for (agent, record) in self.header.agents.iter().zip(&self.last.agents) {
            let weight = agent.average?;
            sum += weight * record.held_out_accuracy?;
            total += weight;
        }
        Some(sum / total)
    }

    /// What is known of kappa and of everybody's factor.
    #[must_use]
    pub fn factors(&self) -> Factors {
        Factors { kappa: self.audit.kappa, everybody: self.audit.everybody }
    }

    /// The run in words, for a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        summary::training::text(&summary::training::Training {
            header: &self.header,
            round: &self.last.round,
            agents: &self.last.agents,
            audit: &self.audit,
        })
    }
}

/// Where a run is written, and the checkpoint it continues from.
pub(super) type Place = (RunFolder, Option<Checkpoint>);

/// The verdict on a model, from its parameters, the run's header and its last measured round.
type Audit<'a, T> = &'a dyn Fn(&[T], &RunHeader, &Outcome, &mut dyn Observer) -> Finding;

/// What a training depends on besides its engine.
pub(super) struct Session<'a, T> {
    pub(super) train: &'a Train,
    /// What an agent is called.
    pub(super) owner: String,
    /// Where parameters go in `model.safetensors`.
    pub(super) tensors: &'a dyn Fn(&[T]) -> Vec<Tensor>,
    pub(super) audit: Audit<'a, T>,
}

/// Rounds, verdict, files.
pub(super) fn session<F: Federated>(
    engine: &mut Engine<'_, F>,
    session: &Session<'_, F::Scalar>,
    (mut folder, restored): Place,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<TrainedRun, RunError> {
    let restored = restored.as_ref();
    let resumed_after = restored.map(|checkpoint| checkpoint.round);
    for damaged in folder.damaged() {
        observer.damaged(damaged, resumed_after);
    }
    observer.started(&Start {
        folder: folder.path(),
        header: folder.header(),
        parameters: engine.federation().dim(),
        resumed_after,
    });
    let record = &session.train.record;
    let board = if record.tensorboard { Some(folder.tensorboard()?) } else { None };
    let mut watched = WithBoard { board, failed: None, observer };
    let Ended { state, ending, last, elapsed } =
        rounds(engine, session.train, &mut folder, restored, session.tensors, stop, &mut watched)?;
    let WithBoard { failed, observer, .. } = watched;
    if let Some(error) = failed {
        return Err(error.into());
    }
    let rounds = state.round;
    if ending == Ending::Interrupted {
        observer.interrupted(rounds);
        return Ok(TrainedRun { rounds, elapsed, result: None });
    }
    // What is audited, summed up and handed on is the model that the run keeps.
    let best = kept(session.train, engine.federation(), &state);
    let params = best.map_or(&state.params, |best| &best.params);
    let last = match (best, last) {
        (Some(best), Some(last)) if last.round.round == best.round => last,
        (Some(best), _) => outcome_of(&folder, Some(best.round))?,
        (None, Some(last)) => last,
        (None, None) => outcome_of(&folder, None)?,
    };
    let mut finding = (session.audit)(params, folder.header(), &last, observer);
    finding.audit.owner = Some(session.owner.clone());
    finding.audit.warnings.extend(changed::known_changes(&folder)?.sentences());
    if stop.is_asked() {
        // The audit may have been cut short, and a verdict must not depend on that.
        folder.checkpoint(&save(&state)?)?;
        observer.interrupted(rounds);
        return Ok(TrainedRun { rounds, elapsed, result: None });
    }
    write(&folder, &last, &finding)?;
    folder.finish(&save(&state)?)?;
    let Finding { audit, certificate, .. } = finding;
    observer.ended(&End {
        folder: folder.path(),
        rounds,
        certified: ending == Ending::Certified,
        elapsed,
        verdict: audit.verdict,
        factors: Factors { kappa: audit.kappa, everybody: audit.everybody },
        headroom: audit.headroom,
        round: &last.round,
    });
    let result = TrainedResult {
        header: folder.header().clone(),
        audit,
        exact: certificate.is_some(),
        last,
        weights: engine.terms().weights.clone(),
        params: params.iter().map(|p| p.to_f64()).collect(),
    };
    Ok(TrainedRun { rounds, elapsed, result: Some(result) })
}

/// Writes everything that a complete training leaves besides records and model.
fn write(folder: &RunFolder, last: &Outcome, finding: &Finding) -> Result<(), RunError> {
    if let Some(certificate) = &finding.certificate {
        folder.write(CERTIFICATE, &to_json(certificate)?)?;
    }
    if let Some(listed) = &finding.coalitions {
        folder.write(COALITIONS, &Coalitions { models: vec![listed.clone()] }.to_json()?)?;
    }
    write_judged(folder, last, &finding.audit)
}

/// Writes the verdict on the last measured round of a run: `audit.json`, `summary.md` and `report.html`.
pub fn write_verdict(folder: &RunFolder, audit: &AuditDocument) -> Result<(), RunError> {
    write_judged(folder, &outcome_of(folder, None)?, audit)
}

fn write_judged(folder: &RunFolder, last: &Outcome, audit: &AuditDocument) -> Result<(), RunError> {
    folder.write(AUDIT, &audit.to_json()?)?;
    let told = summary::training::Training {
        header: folder.header(),
        round: &last.round,
        agents: &last.agents,
        audit,
    };
    folder.write(SUMMARY, &summary::training::markdown(&told))?;
    folder.write(pages::REPORT, &render(&pages::page(folder.path())?))?;
    Ok(())
}

/// Curves for `TensorBoard` beside other observers.
struct WithBoard<'a> {
    board: Option<TensorBoard>,
    /// Why curves could not be written; the run ends with a checkpoint.
    failed: Option<LogError>,
    observer: &'a mut dyn Observer,
}

impl Observer for WithBoard<'_> {
    fn round(&mut self, outcome: &Outcome) -> ControlFlow<()> {
        if let Some(board) = &mut self.board
            && let Err(error) = board.round(&outcome.round, &outcome.agents)
        {
            self.failed = Some(error);
            return ControlFlow::Break(());
        }
        self.observer.round(outcome)
    }
}

/// An evaluated round of a run, as its records have it: a certain one, or the last.
pub(super) fn outcome_of(folder: &RunFolder, wanted: Option<usize>) -> Result<Outcome, RunError> {
    let mut found = None;
    for round in folder.rounds()? {
        let round = round?;
        if round.log_welfare.is_some() && wanted.is_none_or(|wanted| wanted == round.round) {
            found = Some(round);
        }
    }
    let round = found.ok_or_else(|| TrainingError::NoRound { path: folder.path().to_owned() })?;
    let mut agents = Vec::new();
    for agent in folder.agents()? {
        let agent = agent?;
        if agent.round == round.round {
            agents.push(agent);
        }
    }
    Ok(Outcome { round, agents, certified: false })
}
