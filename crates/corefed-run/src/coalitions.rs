//! `coalitions.json`: what every coalition of a small federation could have.

use corefed_audit::{MOST_LISTED_AGENTS, coalition_values};
use corefed_core::{KappaInterval, Number};
use corefed_documents::{CoalitionLine, ModelCoalitions};
use corefed_solve::Problem;

use crate::case::Case;

/// Programs times rows times squared parameters: beyond this, minutes would go into a picture.
const MOST_WORK: f64 = 2e10;

/// Whether all programs together take seconds rather than minutes.
#[must_use]
pub fn affordable(case: &Case, dim: usize) -> bool {
    let agents = case.names.len();
    // Least squares does not look at rows again.
    let rows = if case.family.is_quadratic() { dim } else { case.samples().iter().sum() };
    agents <= MOST_LISTED_AGENTS
        && 2_f64.powf(agents as f64) * rows as f64 * (dim * dim) as f64 <= MOST_WORK
}

/// Every coalition's program against one model.
#[must_use]
pub fn against(case: &Case, problem: &Problem<'_>, model: &str, params: &[f64]) -> ModelCoalitions {
    let line = |value: corefed_audit::CoalitionValue| CoalitionLine {
        members: value.members.iter().map(|&k| case.names[k].clone()).collect(),
        share: value.share,
        value: KappaInterval { lo: Number(value.lower), hi: Number(value.upper) },
        gains: value.gains.into_iter().map(Number).collect(),
    };
    let coalitions = coalition_values(problem, params).into_iter().map(line).collect();
    ModelCoalitions { model: model.to_owned(), coalitions }
}
