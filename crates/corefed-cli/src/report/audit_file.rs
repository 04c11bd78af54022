//! What `--json` printed, read back: as much of it as a page shows.

use std::path::Path;

use corefed_core::{Assumption, KappaInterval, Number, Verdict};
use corefed_report::{Agent, Model, Moving, Rival, Scope};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::network_file::NetworkFile;
use crate::answer::ObstacleLine;
use crate::failure::Failure;
use crate::words::noun_of;

/// An audit of a predictor, of a row of a table, or of a trained model.
#[derive(Debug, Deserialize)]
pub(super) struct AuditFile {
    pub(super) rule: Option<String>,
    pub(super) file: Option<String>,
    pub(super) incumbent: Option<String>,
    pub(super) verdict: Verdict,
    pub(super) kappa: KappaInterval,
    pub(super) everybody: KappaInterval,
    pub(super) tolerance: f64,
    obstacle: Option<ObstacleLine>,
    pub(super) headroom: Option<Number>,
    deviation: Option<DeviationFile>,
    #[serde(default)]
    pub(super) agents: Vec<AgentFile>,
    log_welfare: Option<Number>,
    ball: Option<BallFile>,
    #[serde(default)]
    assumptions: Vec<Assumption>,
    #[serde(default)]
    rivals: Vec<RivalFile>,
    pub(super) predictor: Option<PredictorHead>,
    pub(super) network: Option<NetworkFile>,
}

#[derive(Debug, Deserialize)]
struct DeviationFile {
    coalition: Vec<String>,
    #[serde(default)]
    gains: Map<String, Value>,
    rival: Option<Value>,
    round: Option<usize>,
}

#[derive(Debug, Deserialize)]
pub(super) struct AgentFile {
    pub(super) name: String,
    samples: Option<usize>,
    weight: f64,
    ceiling: Option<f64>,
    utility: f64,
    alone: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct BallFile {
    radius: f64,
}

#[derive(Debug, Deserialize)]
struct RivalFile {
    model: String,
    #[serde(default)]
    utilities: Vec<Option<f64>>,
}

/// The part of a predictor that says where its data are.
#[derive(Debug, Deserialize)]
pub(super) struct PredictorHead {
    pub(super) encoding: EncodingHead,
}

#[derive(Debug, Deserialize)]
pub(super) struct EncodingHead {
    pub(super) agent_column: String,
    pub(super) target_column: String,
}

impl AuditFile {
    /// Reads a file, or says why it is no audit.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path).map_err(|e| Failure::file("read", path, &e))?;
        Self::parse(&format!("`{}`", path.display()), &text)
    }

    /// Reads a text; `what` is to blame if it is something else.
    pub(super) fn parse(what: &str, text: &str) -> Result<Self, Failure> {
        serde_json::from_str(text).map_err(|error| {
            Failure::new(format!("{what} is not the JSON of an audit: {error}")).hint(
                "give a run folder, or what `corefed solve --json` or `corefed audit --json` printed",
            )
        })
    }

    /// Everybody, as the audit knows them.
    pub(super) fn owners(&self) -> Vec<Agent> {
        let agent = |agent: &AgentFile| Agent {
            name: agent.name.clone(),
            samples: agent.samples,
            weight: agent.weight,
            ceiling: agent.ceiling,
        };
        self.agents.iter().map(agent).collect()
    }

    /// The listed models of a table.
    pub(super) fn listed(&self) -> Vec<Rival> {
        let known = self.rivals.iter().filter(|rival| !rival.utilities.is_empty());
        known
            .map(|rival| Rival { name: rival.model.clone(), utilities: rival.utilities.clone() })
            .collect()
    }

    /// What agents are called, guessed from the column that names them.
    pub(super) fn noun(&self) -> String {
        noun_of(self.predictor.as_ref().map_or("", |p| &p.encoding.agent_column))
    }

    /// The audited model, by the agents of the page.
    pub(super) fn model(&self, name: &str, agents: &[Agent]) -> Model {
        let own = |agent: &Agent| self.agents.iter().find(|other| other.name == agent.name);
        let scope = match &self.ball {
            Some(ball) => Scope::Ball(ball.radius),
            None if self.incumbent.is_some() => Scope::Listed(self.rivals.len()),
            None if self.network.is_some() => Scope::Searched,
            None => Scope::Met,
        };
        Model {
            name: name.to_owned(),
            verdict: self.verdict,
            kappa: self.kappa,
            everybody: self.everybody,
            tolerance: self.tolerance,
            obstacle: self.obstacle.as_ref().map(said),
            headroom: self.headroom.map(|headroom| headroom.0),
            scope,
            deviation: self.deviation.as_ref().map(|deviation| deviation.moving(agents)),
            assumptions: self.assumptions.clone(),
            utilities: agents.iter().map(|agent| own(agent).map(|own| own.utility)).collect(),
            alone: agents.iter().map(|agent| own(agent).and_then(|own| own.alone)).collect(),
            log_welfare: self.log_welfare.map(|welfare| welfare.0),
            coalitions: Vec::new(),
        }
    }
}

/// A sentence of its own.
fn said(obstacle: &ObstacleLine) -> String {
    let text = format!("{obstacle}.");
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

impl DeviationFile {
    fn moving(&self, agents: &[Agent]) -> Moving {
        let mut members = Vec::new();
        let mut gains = Vec::new();
        for name in &self.coalition {
            let Some(member) = agents.iter().position(|agent| agent.name == *name) else {
                continue;
            };
            members.push(member);
            gains.extend(self.gains.get(name).map(|gain| gain.as_f64().unwrap_or(f64::INFINITY)));
        }
        let rival = match (&self.rival, self.round) {
            (Some(Value::String(row)), _) => format!("the model `{row}`"),
            (_, Some(round)) => format!("the model of round {round}"),
            _ if members.len() == 1 => "a model of its own".to_owned(),
            _ => "another model".to_owned(),
        };
        if gains.len() != members.len() {
            gains.clear();
        }
        Moving { members, gains, rival }
    }
}
