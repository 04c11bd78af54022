//! The rounds of a run, written down as they happen.

use std::time::{Duration, Instant};

use corefed_log::{Checkpoint, RunFolder, Tensor};
use corefed_sim::{Engine, Federated, Outcome, State};
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
    let mut ending = if done { Ending::Certified } else { Ending::Complete };
    while state.round < train.rounds.get() && !done {
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
        if state.round.is_multiple_of(every) && state.round < train.rounds.get() {
            folder.checkpoint(&checkpoint::save(&state)?)?;
        }
    }
    if ending == Ending::Interrupted {
        folder.checkpoint(&checkpoint::save(&state)?)?;
    }
    folder.save_model(&tensors(&state.params))?;
    Ok(Ended { state, ending, last, elapsed: begin.elapsed() })
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
