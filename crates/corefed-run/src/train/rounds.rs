//! The rounds of a run, written down as they happen.

use std::time::{Duration, Instant};

use corefed_log::{Checkpoint, RunFolder, Tensor};
use corefed_sim::{Best, Engine, Federated, Outcome, State, keeps_best};
use corefed_spec::Train;

use super::checkpoint;
use crate::{Observer, RunError, Stop, TrainingError};

/// How the rounds ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// After the last one.
    Complete,
    /// The certificate that was asked for was reached.
    Certified,
    /// No round was better for as long as the training was patient.
    Stale,
    /// Somebody asked for it.
    Interrupted,
}

/// The run as its rounds left it.
pub(crate) struct Ended<T> {
    pub(crate) state: State<T>,
    pub(crate) ending: Ending,
    /// The last record with everybody in it.
    pub(crate) last: Option<Outcome>,
    /// Time spent in rounds, records and checkpoints.
    pub(crate) elapsed: Duration,
}

/// Where parameters go in `model.safetensors`.
pub(crate) type ModelTensors<'a, T> = &'a dyn Fn(&[T]) -> Vec<Tensor>;

/// Trains to the end, or until stopped. A run that begins anew writes round 0 first; one that
/// continues begins after its checkpoint.
pub(crate) fn rounds<F: Federated>(
    engine: &mut Engine<'_, F>,
    train: &Train,
    folder: &mut RunFolder,
    restored: Option<&Checkpoint>,
    tensors: ModelTensors<'_, F::Scalar>,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<Ended<F::Scalar>, RunError> {
    let begin = Instant::now();
    let mut last = None;
    let mut state = if let Some(checkpoint) = restored {
        continued(engine, folder, checkpoint)?
    } else {
        let (state, outcome) =
            engine.start().map_err(|error| TrainingError::NotStarted { error })?;
        folder.append(&outcome.round, &outcome.agents)?;
        let halted = observer.round(&outcome).is_break() || stop.is_asked();
        last = Some(outcome);
        if halted {
            folder.checkpoint(&checkpoint::save(&state)?)?;
            let elapsed = begin.elapsed();
            return Ok(Ended { state, ending: Ending::Interrupted, last, elapsed });
        }
        state
    };
    let every = train.record.checkpoint_every(train.rounds).get();
    // A run that had reached its certificate is not trained beyond it.
    let done = state.round > 0 && restored.is_some() && ends_certified(engine, folder)?;
    // Nor is one that had run out of patience.
    let stale = engine.is_stale(&state);
    let mut ending = match (done, stale) {
        (true, _) => Ending::Certified,
        (false, true) => Ending::Stale,
        (false, false) => Ending::Complete,
    };
    while state.round < train.rounds.get() && !done && !stale {
        // Inside the pool: a thread outside would wake it for every parallel step of the round.
        let outcome = match rayon::scope(|_| engine.round(&mut state)) {
            Ok(outcome) => outcome,
            Err(error) => {
                folder.save_model(&tensors(&state.params))?;
                let model = folder.path().join("model.safetensors");
                return Err(TrainingError::Stopped { error, model }.into());
            }
        };
        folder.append(&outcome.round, &outcome.agents)?;
        let halted = observer.round(&outcome).is_break() || stop.is_asked();
        let certified = outcome.certified;
        if outcome.round.log_welfare.is_some() {
            last = Some(outcome);
        }
        if certified {
            ending = Ending::Certified;
            break;
        }
        if halted {
            ending = Ending::Interrupted;
            break;
        }
        if engine.is_stale(&state) {
            ending = Ending::Stale;
            break;
        }
        if state.round.is_multiple_of(every) && state.round < train.rounds.get() {
            folder.checkpoint(&checkpoint::save(&state)?)?;
        }
    }
    if ending == Ending::Interrupted {
        folder.checkpoint(&checkpoint::save(&state)?)?;
    }
    match kept(train, engine.federation(), &state) {
        Some(best) => {
            folder.save_model(&tensors(&best.params))?;
            folder.save_last_model(&tensors(&state.params))?;
        }
        None => folder.save_model(&tensors(&state.params))?,
    }
    Ok(Ended { state, ending, last, elapsed: begin.elapsed() })
}

/// The model that the run keeps in place of its last.
pub(crate) fn kept<'a, F: Federated>(
    train: &Train,
    federation: &F,
    state: &'a State<F::Scalar>,
) -> Option<&'a Best<F::Scalar>> {
    state.best.as_ref().filter(|_| keeps_best(train, federation))
}

/// The state of a checkpoint, with the models that its records know.
fn continued<F: Federated>(
    engine: &Engine<'_, F>,
    folder: &RunFolder,
    checkpoint: &Checkpoint,
) -> Result<State<F::Scalar>, RunError> {
    let mut state = checkpoint::load(checkpoint)
        .filter(|state: &State<F::Scalar>| state.params.len() == engine.federation().dim())
        .ok_or(TrainingError::Checkpoint)?;
    state.candidates.recall(folder.agents()?, &engine.terms().names)?;
    Ok(state)
}

fn ends_certified<F: Federated>(
    engine: &Engine<'_, F>,
    folder: &RunFolder,
) -> Result<bool, RunError> {
    let last = folder.rounds()?.last().transpose()?;
    Ok(last.is_some_and(|record| engine.is_certified(&record)))
}
