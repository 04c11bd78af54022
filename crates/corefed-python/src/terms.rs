//! Ceilings and weights of a federation, by the names of a spec.

use corefed_core::{
    AloneLosses, CeilingError, CeilingPolicy, ReferenceLosses, TargetSummary, WeightPolicy, Weights,
};
use corefed_spec::{Ceiling, CeilingWord, WeightsBy};
use pyo3::prelude::*;

use crate::families::family_named;
use crate::raise::{self, Mistake};

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
        let words = CeilingWord::usages();
        let message =
            format!("`{field}` is `{text}`; expected a number, {words} or one number per agent");
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

/// A policy by which agents declare something.
pub(crate) fn declared_policy(text: &str) -> Result<Ceiling, Mistake> {
    text.parse().map_err(|_| Mistake::input("policy", format!("`{text}` is not a policy")))
}

/// Whether a policy goes by what agents declare, and whether it depends on the ball; nothing for a text that does
/// not name one.
#[pyfunction]
pub(crate) fn ceiling_facts(text: &str) -> Option<(bool, bool)> {
    let ceiling: Ceiling = text.parse().ok()?;
    Some((ceiling.is_declared(), ceiling.depends_on_ball()))
}

/// What a server knows of its agents before the first round.
#[derive(Default)]
struct Reported {
    names: Vec<String>,
    initial: Option<Vec<f64>>,
    constant: Option<Vec<f64>>,
    pooled_constant: Option<Vec<f64>>,
    alone: Option<Vec<f64>>,
    worst: Option<Vec<f64>>,
}

impl ReferenceLosses for Reported {
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn initial(&self) -> Option<Vec<f64>> {
        self.initial.clone()
    }

    fn constant(&self) -> Option<Vec<f64>> {
        self.constant.clone()
    }

    fn pooled_constant(&self) -> Option<Vec<f64>> {
        self.pooled_constant.clone()
    }

    /// Agents answer about all of their rows.
    fn alone(&self) -> Option<AloneLosses> {
        let losses = self.alone.as_ref()?.iter().copied().map(Some).collect();
        Some(AloneLosses { losses, held_out: false })
    }

    fn worst(&self) -> Option<Vec<f64>> {
        self.worst.clone()
    }
}

/// The ceiling of every agent by a policy, from what each has declared about its own rows. Families matter
/// where the best common constant does.
#[pyfunction]
pub(crate) fn settle_ceilings(
    policy: &str,
    family: &str,
    classes: usize,
    names: Vec<String>,
    weights: Vec<f64>,
    told: Vec<Vec<f64>>,
) -> PyResult<Vec<f64>> {
    let bad = |agent: usize| Mistake {
        agent: Some(agent),
        ..Mistake::input("ceilings", "what it declares for its ceiling cannot be")
    };
    let one = |(agent, numbers): (usize, &Vec<f64>)| match numbers[..] {
        [loss] if loss.is_finite() => Ok(loss),
        _ => Err(bad(agent)),
    };
    let losses = || told.iter().enumerate().map(one).collect::<Result<Vec<f64>, Mistake>>();
    let mut known = Reported { names, ..Reported::default() };
    match declared_policy(policy)? {
        Ceiling::Constant(_) => known.constant = Some(losses()?),
        Ceiling::Alone(_) => known.alone = Some(losses()?),
        Ceiling::Worst => known.worst = Some(losses()?),
        Ceiling::PooledConstant(_) | Ceiling::Baseline(_) => {
            let family = family_named("model", family)?;
            let read = |(agent, numbers): (usize, &Vec<f64>)| {
                TargetSummary::from_numbers(numbers, family, classes).ok_or_else(|| bad(agent))
            };
            let all = told.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
            let weights = Weights::new(weights).map_err(|error| raise::weight("weights", error))?;
            known.pooled_constant = TargetSummary::common_constant_losses(&all, &weights);
        }
        _ => {}
    }
    let found = ceiling_policy(policy, "ceilings")?.resolve(&known);
    Ok(found.map_err(|error| unresolved(&error, &known.names, "ceilings"))?)
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
    let reported = Reported { names, initial: Some(losses), ..Reported::default() };
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
