//! What holds a training steady, as the engine decides it.

use std::num::NonZeroUsize;

use corefed_rules::ServerStep;
use corefed_sim::{Steadiness, Tried, Unsteady};
use corefed_spec::{Cohort, Correction, Participation, Search, Train};
use pyo3::prelude::*;

use crate::raise::Mistake;
use crate::rule::{chosen, named};

/// Whether local steps are corrected for drift, and whether steps are compared.
#[pyfunction]
#[pyo3(signature = (rule, correction, search, cohort, agents, parameters, double, momentum))]
pub(crate) fn steadiness(
    rule: &str,
    correction: &str,
    search: &str,
    cohort: usize,
    agents: usize,
    parameters: usize,
    double: bool,
    momentum: f64,
) -> PyResult<(bool, bool)> {
    let rule = named(rule)?;
    let train = Train {
        rule,
        correction: chosen("correction", correction, Correction::NAMES)?,
        search: chosen("search", search, Search::NAMES)?,
        participation: Participation {
            cohort: NonZeroUsize::new(cohort).map_or(Cohort::All, Cohort::Count),
            ..Participation::default()
        },
        server: ServerStep { momentum, ..ServerStep::DEFAULT },
        ..Train::default()
    };
    let found = if double {
        Steadiness::of::<f64>(&train, agents, parameters)
    } else {
        Steadiness::of::<f32>(&train, agents, parameters)
    };
    found.map(|s| (s.corrects, s.searches)).map_err(|error| unsteady(&error).into())
}

/// Part of the server's step that is taken in a round of this many.
#[pyfunction]
pub(crate) fn step_part(first_step: f64, number: usize, rounds: usize) -> PyResult<f64> {
    let rounds = NonZeroUsize::new(rounds)
        .ok_or_else(|| Mistake::input("num_rounds", "a training has at least one round"))?;
    Ok(Train { first_step, rounds, ..Train::default() }.step_part(number))
}

/// The steps that are compared in a round: names of directions and parts of them, none at all the last.
#[pyfunction]
pub(crate) fn compared_steps(directions: usize) -> Vec<(&'static str, f64)> {
    Tried::all(directions).into_iter().map(|step| (step.name(), step.part)).collect()
}

/// In the words of Python's arguments.
fn unsteady(error: &Unsteady) -> Mistake {
    let (field, message) = match error {
        Unsteady::Uncorrected { rule } => {
            ("correction", format!("rule `{rule}` cannot use `correction='control'`"))
        }
        Unsteady::Unsearched { rule } => (
            "search",
            format!("rule `{rule}` cannot use `search='on'`: it has no objective of its own"),
        ),
        Unsteady::SearchOfSome => {
            ("search", "`search='on'` needs `fraction_train=1`: everybody compares".to_owned())
        }
        Unsteady::SearchWithMomentum => {
            ("search", "`search='on'` needs `server_momentum=0`".to_owned())
        }
    };
    Mistake::input(field, message)
}
