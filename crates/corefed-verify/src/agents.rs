//! The agents as the certificate states them.

use std::collections::BTreeSet;

use corefed_core::{AgentStatement, Certificate, Subject};

use crate::VerifyError;
use crate::enclosed::Enclosed;
use crate::sum::sum;

/// Checks names, weights, ceilings, utilities and margins as far as they can be without data.
pub(crate) fn check_agents(certificate: &Certificate) -> Result<(), VerifyError> {
    let agents = &certificate.agents;
    if agents.len() < 2 {
        return Err(VerifyError::TooFewAgents { found: agents.len() });
    }
    let mut names = BTreeSet::new();
    for (i, agent) in agents.iter().enumerate() {
        if agent.name.trim().is_empty() {
            return Err(VerifyError::EmptyName { agent: i });
        }
        if !names.insert(agent.name.as_str()) {
            return Err(VerifyError::DuplicateName { name: agent.name.clone() });
        }
        let number = |field: &str, value, must| {
            Err(VerifyError::Number { field: format!("agents[{i}].{field}"), value, must })
        };
        if !(agent.weight > 0.0 && agent.weight.is_finite()) {
            return number("weight", agent.weight, "positive and finite");
        }
        if !agent.utility.is_finite() {
            return number("utility", agent.utility, "finite");
        }
        if !(agent.margin >= 0.0 && agent.margin.is_finite()) {
            return number("margin", agent.margin, "finite and >= 0");
        }
        match certificate.subject {
            Subject::Predictor(_) => check_owner(i, agent)?,
            Subject::Table { .. } => check_column(i, agent)?,
        }
    }
    let total = sum(agents.iter().map(|agent| agent.weight)).hi();
    if !total.is_finite() {
        let (field, must) = ("agents[].weight".to_owned(), "finite in total");
        return Err(VerifyError::Number { field, value: total, must });
    }
    Ok(())
}

/// Utilities as the certificate states them, with their margins.
pub(crate) fn stated_utilities(agents: &[AgentStatement]) -> Vec<Enclosed> {
    agents.iter().map(|agent| Enclosed::new(agent.utility, agent.margin)).collect()
}

/// An agent that owns rows has a loss, which is never negative, and so a ceiling above its utility.
fn check_owner(i: usize, agent: &AgentStatement) -> Result<(), VerifyError> {
    if agent.samples == 0 {
        let (field, must) = (format!("agents[{i}].samples"), "at least 1");
        return Err(VerifyError::Number { field, value: 0.0, must });
    }
    let Some(ceiling) = agent.ceiling else {
        return Err(VerifyError::Missing { field: format!("agents[{i}].ceiling") });
    };
    if !ceiling.is_finite() {
        let field = format!("agents[{i}].ceiling");
        return Err(VerifyError::Number { field, value: ceiling, must: "finite" });
    }
    if !(Enclosed::new(agent.utility, agent.margin).lo() <= ceiling) {
        let (name, utility) = (agent.name.clone(), agent.utility);
        return Err(VerifyError::AboveCeiling { agent: name, utility, ceiling });
    }
    Ok(())
}

/// Of a column of a table nothing but the utilities is known.
fn check_column(i: usize, agent: &AgentStatement) -> Result<(), VerifyError> {
    let field = match (agent.samples, agent.ceiling) {
        (0, None) => return Ok(()),
        (0, Some(_)) => "ceiling",
        _ => "samples",
    };
    Err(VerifyError::Misplaced { field: format!("agents[{i}].{field}"), about: "a table" })
}
