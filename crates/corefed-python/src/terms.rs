//! Ceilings and weights of a federation, by the names of a spec.

use corefed_core::{CeilingError, CeilingPolicy, ReferenceLosses, WeightPolicy};
use corefed_spec::{Ceiling, WeightsBy};
use pyo3::prelude::*;

use crate::raise::Mistake;

/// A policy by its name in a spec, or one number per agent.
#[derive(FromPyObject)]
pub(crate) enum Told {
    Policy(String),
    PerAgent(Vec<f64>),
}

/// The ceilings that a text of a spec asks for; files are left to the command.
pub(crate) fn ceiling_policy(text: &str, field: &str) -> Result<CeilingPolicy, Mistake> {
    let told = text.parse().ok().filter(|told| !matches!(told, Ceiling::File(_)));
    told.and_then(|told| told.policy([].into_iter()).ok()).ok_or_else(|| {
        let message = format!(
            "`{field}` is `{text}`; expected a number, `initial[:F]`, `constant[:F]`, \
             `pooled-constant[:F]`, `baseline[:F]`, `alone[:F]`, `worst` or one number per agent"
        );
        Mistake::input(field, message)
    })
}

/// Ceilings that cannot be, as an exception.
pub(crate) fn unresolved(error: &CeilingError, names: &[String], field: &str) -> Mistake {
    let agent = match error {
        CeilingError::NotPositive { agent, .. } | CeilingError::NothingHeldOut { agent } => {
            names.iter().position(|name| name == agent)
        }
        CeilingError::NotKnown { .. }
        | CeilingError::AloneOnTraining { .. }
        | CeilingError::Count { .. } => None,
    };
    let hint = Some(error.hint().to_owned());
    Mistake { agent, hint, ..Mistake::input(field, error.to_string()) }
}

/// What a server knows of its agents before the first round.
struct Reported {
    names: Vec<String>,
    losses: Vec<f64>,
}

impl ReferenceLosses for Reported {
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn initial(&self) -> Option<Vec<f64>> {
        Some(self.losses.clone())
    }
}

/// The ceiling of every agent; `losses` are those at the first model.
#[pyfunction]
pub(crate) fn resolve_ceilings(
    ceilings: Told,
    names: Vec<String>,
    losses: Vec<f64>,
) -> PyResult<Vec<f64>> {
    let policy = match ceilings {
        Told::PerAgent(values) => CeilingPolicy::PerAgent(values),
        Told::Policy(text) => ceiling_policy(&text, "ceilings")?,
    };
    let reported = Reported { names, losses };
    let found = policy.resolve(&reported);
    Ok(found.map_err(|error| unresolved(&error, &reported.names, "ceilings"))?)
}

/// The weight of every agent; `field` is the argument they came in.
#[pyfunction]
pub(crate) fn resolve_weights(
    weights: Told,
    names: Vec<String>,
    samples: Vec<usize>,
    field: &str,
) -> PyResult<Vec<f64>> {
    let policy = match weights {
        Told::PerAgent(values) => WeightPolicy::PerAgent(values),
        Told::Policy(text) => match text.parse() {
            Ok(WeightsBy::Equal) => WeightPolicy::Equal,
            Ok(WeightsBy::Samples) => WeightPolicy::Samples,
            Ok(WeightsBy::File(_)) | Err(_) => {
                let hint = Some("'equal', 'samples' or a dictionary by agent".to_owned());
                let message = format!("`{field}` is '{text}'");
                return Err(Mistake { hint, ..Mistake::input(field, message) }.into());
            }
        },
    };
    let agents: Vec<(&str, usize)> = names.iter().map(String::as_str).zip(samples).collect();
    let weights = policy.resolve(&agents).map_err(|error| Mistake {
        agent: names.iter().position(|name| *name == error.agent),
        hint: Some(error.hint().to_owned()),
        ..Mistake::input(field, error.to_string())
    })?;
    Ok(weights.values().to_vec())
}
