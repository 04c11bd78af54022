//! An audit as a page shows it.

use corefed_documents::{AgentLine, AuditDocument, DeviationLine, ObstacleLine, Scope};
use serde_json::Value;

use crate::html::capital;
use crate::page::{self, Agent, Model, Moving};
use crate::rival::Rival;

/// Everybody, as the audit knows them.
pub(super) fn agents(audit: &AuditDocument) -> Vec<Agent> {
    let agent = |agent: &AgentLine| Agent {
        name: agent.name.clone(),
        samples: agent.samples,
        weight: agent.weight,
        ceiling: agent.ceiling,
    };
    audit.agents.iter().map(agent).collect()
}

/// The listed models of a table.
pub(super) fn listed(audit: &AuditDocument) -> Vec<Rival> {
    let known = audit.rivals.iter().filter(|rival| !rival.utilities.is_empty());
    known
        .map(|rival| Rival { name: rival.model.clone(), utilities: rival.utilities.clone() })
        .collect()
}

/// The audited model, by the agents of the page.
pub(super) fn model(audit: &AuditDocument, name: &str, agents: &[Agent]) -> Model {
    let own = |agent: &Agent| audit.agents.iter().find(|other| other.name == agent.name);
    let scope = match (audit.scope, &audit.ball) {
        (Scope::Ball, ball) => page::Scope::Ball(ball.as_ref().map_or(f64::NAN, |b| b.radius)),
        (Scope::Listed, _) => page::Scope::Listed(audit.rivals.len()),
        (Scope::Searched, _) => page::Scope::Searched,
        (Scope::Met, _) => page::Scope::Met,
    };
    Model {
        name: name.to_owned(),
        verdict: audit.verdict,
        kappa: audit.kappa,
        everybody: audit.everybody,
        tolerance: audit.tolerance,
        obstacle: audit.obstacle.as_ref().map(said),
        headroom: audit.headroom.map(|headroom| headroom.0),
        scope,
        deviation: audit.deviation.as_ref().map(|deviation| moving(deviation, agents)),
        assumptions: audit.assumptions.clone(),
        warnings: audit.warnings.clone(),
        utilities: agents.iter().map(|agent| own(agent).map(|own| own.utility)).collect(),
        alone: agents.iter().map(|agent| own(agent).and_then(|own| own.alone)).collect(),
        log_welfare: audit.log_welfare.map(|welfare| welfare.0),
        held_out: audit.held_out.clone(),
        coalitions: Vec::new(),
    }
}

/// A sentence of its own.
fn said(obstacle: &ObstacleLine) -> String {
    capital(&format!("{obstacle}."))
}

/// A deviation by the agents of the page.
pub(super) fn moving(deviation: &DeviationLine, agents: &[Agent]) -> Moving {
    let mut members = Vec::new();
    let mut gains = Vec::new();
    for name in &deviation.coalition {
        let Some(member) = agents.iter().position(|agent| agent.name == *name) else {
            continue;
        };
        members.push(member);
        gains.extend(deviation.gains.get(name).map(|gain| gain.as_f64().unwrap_or(f64::INFINITY)));
    }
    let rival = match (&deviation.rival, deviation.round) {
        (Value::String(row), _) => format!("the model `{row}`"),
        (_, Some(round)) => format!("the model of round {round}"),
        _ if members.len() == 1 => "a model of its own".to_owned(),
        _ => "another model".to_owned(),
    };
    if gains.len() != members.len() {
        gains.clear();
    }
    Moving { members, gains, rival }
}
