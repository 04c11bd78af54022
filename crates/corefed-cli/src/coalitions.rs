//! `coalitions.json`: what every coalition of a small federation could have.

use corefed_audit::{MOST_LISTED_AGENTS, coalition_values};
use corefed_core::{KappaInterval, Number};
use corefed_solve::Problem;
use serde::{Deserialize, Serialize};

use crate::case::Case;

/// Name of the file in a run folder.
pub(crate) const COALITIONS: &str = "coalitions.json";
/// Programs times rows times squared parameters: beyond this, minutes would go into a picture.
const MOST_WORK: f64 = 2e10;

/// The document.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Coalitions {
    pub(crate) models: Vec<ModelCoalitions>,
}

/// All coalitions against one model.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ModelCoalitions {
    /// The rule it was made by.
    pub(crate) model: String,
    /// By size, then in the order of agents.
    pub(crate) coalitions: Vec<CoalitionLine>,
}

/// One coalition.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CoalitionLine {
    pub(crate) members: Vec<String>,
    /// `w(S)/W`; it blocks if `share` times `value` is more than one.
    pub(crate) share: f64,
    /// Where `V(S)` lies.
    pub(crate) value: KappaInterval,
    /// Of every member, with the rival that reaches `value.lo`.
    pub(crate) gains: Vec<Number>,
}

/// Whether all programs together take seconds rather than minutes.
pub(crate) fn affordable(case: &Case, dim: usize) -> bool {
    let agents = case.names.len();
    // Least squares does not look at rows again.
    let rows = if case.family.is_quadratic() { dim } else { case.samples().iter().sum() };
    agents <= MOST_LISTED_AGENTS
        && 2_f64.powf(agents as f64) * rows as f64 * (dim * dim) as f64 <= MOST_WORK
}

/// Every coalition's program against one model.
pub(crate) fn against(
    case: &Case,
    problem: &Problem<'_>,
    model: &str,
    params: &[f64],
) -> ModelCoalitions {
    let line = |value: corefed_audit::CoalitionValue| CoalitionLine {
        members: value.members.iter().map(|&k| case.names[k].clone()).collect(),
        share: value.share,
        value: KappaInterval { lo: Number(value.lower), hi: Number(value.upper) },
        gains: value.gains.into_iter().map(Number).collect(),
    };
    let coalitions = coalition_values(problem, params).into_iter().map(line).collect();
    ModelCoalitions { model: model.to_owned(), coalitions }
}
