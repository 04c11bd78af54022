//! The state of a run as a checkpoint, and back.

use corefed_documents::DocumentError;
use corefed_log::{Checkpoint, Tensor, TensorData};
use corefed_rules::{Scalar, ServerState};
use corefed_sim::{Best, NewtonState, State, Trial};
use serde::{Deserialize, Serialize};

use crate::RunError;

/// What a checkpoint holds besides tensors.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scalars {
    first_loss: Option<f64>,
    multipliers: Vec<f64>,
    ceilings: Vec<f64>,
    utilities: Vec<f64>,
    trial: Option<TrialScalars>,
    best: Option<BestScalars>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BestScalars {
    round: usize,
    value: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrialScalars {
    value: f64,
    slope: f64,
    length: f64,
}

/// Everything that the next round depends on.
pub(crate) fn save<T: Scalar>(state: &State<T>) -> Result<Checkpoint, RunError> {
    let mut tensors = vec![
        tensor("params", &state.params),
        tensor("previous", &state.previous),
        tensor("velocity", &state.server.velocity),
    ];
    if let Some(own) = state.controls.first() {
        // One tensor for all: a name per agent would say nothing more.
        let shape = vec![state.controls.len(), own.len()];
        tensors.push(shaped("controls", shape, state.controls.iter().flatten().copied()));
    }
    if let Some(trial) = &state.newton.trial {
        tensors.push(tensor("newton.params", &trial.params));
        tensors.push(tensor("newton.direction", &trial.direction));
    }
    if let Some(best) = &state.best {
        tensors.push(tensor("best", &best.params));
    }
    let scalars = Scalars {
        first_loss: state.first_loss,
        multipliers: state.server.multipliers.clone(),
        ceilings: state.server.ceilings.clone(),
        utilities: state.server.utilities.clone(),
        trial: state.newton.trial.as_ref().map(|trial| TrialScalars {
            value: trial.value,
            slope: trial.slope,
            length: trial.length,
        }),
        best: state.best.as_ref().map(|best| BestScalars { round: best.round, value: best.value }),
    };
    let state_json = serde_json::to_value(scalars)
        .map_err(|source| DocumentError::Write { kind: "checkpoint", source })?;
    Ok(Checkpoint { round: state.round, tensors, state: state_json })
}

/// Reads a state back; `None` when the checkpoint is not one of this training.
pub(crate) fn load<T: Scalar>(checkpoint: &Checkpoint) -> Option<State<T>> {
    let scalars: Scalars = serde_json::from_value(checkpoint.state.clone()).ok()?;
    let trial = match scalars.trial {
        None => None,
        Some(TrialScalars { value, slope, length }) => Some(Trial {
            params: values(checkpoint, "newton.params")?,
            direction: values(checkpoint, "newton.direction")?,
            value,
            slope,
            length,
        }),
    };
    let server = ServerState {
        multipliers: scalars.multipliers,
        ceilings: scalars.ceilings,
        utilities: scalars.utilities,
        velocity: values(checkpoint, "velocity")?,
    };
    let models = (values(checkpoint, "params")?, values(checkpoint, "previous")?);
    let newton = NewtonState { trial };
    let best = match scalars.best {
        None => None,
        Some(BestScalars { round, value }) => {
            Some(Best { round, value, params: values(checkpoint, "best")? })
        }
    };
    let first_loss = scalars.first_loss;
    let controls = controls(checkpoint, models.0.len())?;
    Some(State::restored(checkpoint.round, models, server, controls, newton, first_loss, best))
}

/// What agents remember of their gradients; none where they remember nothing.
fn controls<T: Scalar>(checkpoint: &Checkpoint, dim: usize) -> Option<Vec<Vec<T>>> {
    if checkpoint.tensor("controls").is_none() {
        return Some(Vec::new());
    }
    let all: Vec<T> = values(checkpoint, "controls")?;
    Some(all.chunks(dim.max(1)).map(<[T]>::to_vec).collect())
}

pub(crate) fn tensor<T: Scalar>(name: &str, values: &[T]) -> Tensor {
    shaped(name, vec![values.len()], values.iter().copied())
}

/// A tensor of any shape, in the parameters' own type.
pub(crate) fn shaped<T: Scalar>(
    name: &str,
    shape: Vec<usize>,
    values: impl Iterator<Item = T>,
) -> Tensor {
    let data = if T::NAME == f32::NAME {
        TensorData::F32(values.map(|v| f32::from_f64(v.to_f64())).collect())
    } else {
        TensorData::F64(values.map(Scalar::to_f64).collect())
    };
    Tensor { name: name.to_owned(), shape, data }
}

fn values<T: Scalar>(checkpoint: &Checkpoint, name: &str) -> Option<Vec<T>> {
    match (&checkpoint.tensor(name)?.data, T::NAME) {
        (TensorData::F32(values), "f32") => {
            Some(values.iter().map(|v| T::from_f64(v.to_f64())).collect())
        }
        (TensorData::F64(values), "f64") => Some(values.iter().map(|v| T::from_f64(*v)).collect()),
        _ => None,
    }
}
