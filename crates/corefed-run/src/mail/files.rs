//! The files that travel, and who they are from.

use std::path::Path;

use corefed_core::{LARGEST, Predictor, digest_bytes};
use corefed_documents::Document;
use corefed_remote::{Answers, Questions, Setup};
use corefed_verify::{AgentKey, is_signed_by};
use serde::{Deserialize, Serialize};

use crate::{MailError, RunError};

/// `session.json`: everything that a session depends on besides answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MailSession {
    /// Predictor, agents, terms and how to ask.
    pub setup: Setup,
    /// Public keys of the agents that have one.
    pub keys: Vec<Option<String>>,
    /// Numbers in each agent's table.
    pub cells: Vec<usize>,
}

impl Document for MailSession {
    const KIND: &'static str = "mail-session";
    const VERSION: u64 = 1;
}

impl MailSession {
    /// SHA-256 of the session as it is written.
    pub fn digest(&self) -> Result<String, RunError> {
        Ok(digest_bytes(self.to_json()?.as_bytes()))
    }

    /// The predictor, whose losses every agent can compute from rows; or why there is none.
    pub(super) fn predictor(&self) -> Result<&Predictor, &'static str> {
        let own = "the model is the agents' own, and its losses do not follow from rows";
        self.setup.predictor.known().ok_or(own)
    }

    /// What does not fit together in terms that came from elsewhere, if anything.
    pub(super) fn contradiction(&self) -> Option<&'static str> {
        let agents = self.setup.agents.len();
        if self.keys.len() != agents || self.cells.len() != agents {
            return Some("`keys` and `cells` must have one entry for every agent");
        }
        let predictor = match self.predictor() {
            Ok(predictor) => predictor,
            Err(problem) => return Some(problem),
        };
        let usual = predictor.radius > 0.0
            && predictor.radius <= LARGEST
            && (0.0..=LARGEST).contains(&predictor.l2);
        (!usual).then_some("`radius` must be positive, `l2` not negative, and both at most 1e50")
    }

    /// An agent by name.
    pub(super) fn agent(&self, name: &str) -> Option<usize> {
        self.setup.agents.iter().position(|agent| agent.name == name)
    }
}

/// `questions-01.json`: one round for everybody, with the terms that an agent should read first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuestionsFile {
    /// The session.
    pub session: MailSession,
    /// What is asked.
    pub questions: Questions,
}

impl QuestionsFile {
    /// What an agent whose model has this many parameters cannot answer, if anything: a coordinator may ask for
    /// points that are not there, or for one Hessian a million times.
    pub(super) fn contradiction(&self, dim: usize) -> Option<&'static str> {
        let Questions { points, asked, .. } = &self.questions;
        if asked.len() != self.session.setup.agents.len() {
            return Some("`asked` must have one entry for every agent");
        }
        if points.iter().any(|point| point.len() != dim) {
            return Some("a point has another number of parameters than the encoding");
        }
        if points.iter().flatten().any(|value| value.abs() > LARGEST) {
            return Some("a parameter of a point is beyond 1e50");
        }
        let listed = |places: &[usize]| {
            places.windows(2).all(|pair| pair[0] < pair[1])
                && places.last().is_none_or(|last| *last < points.len())
        };
        let good =
            asked.iter().flatten().all(|one| listed(&one.gradients) && listed(&one.hessians));
        (!good).then_some("`gradients` and `hessians` must be ascending places of points")
    }
}

impl Document for QuestionsFile {
    const KIND: &'static str = "questions";
    const VERSION: u64 = 1;
}

/// `answers-01-NAME.json`: one agent's answers to one round, or its refusal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswersFile {
    /// The digest of the session.
    pub session: String,
    /// Who answers.
    pub agent: String,
    /// The round.
    pub round: usize,
    /// The answers; absent where the agent refuses.
    pub answers: Option<Answers>,
    /// Why it refuses.
    pub refused: Option<String>,
    /// Numbers it has answered so far, in all sessions about this table.
    pub answered: usize,
    /// Numbers in its table.
    pub cells: usize,
    /// By the agent's key, over everything else.
    pub signature: Option<String>,
}

impl Document for AnswersFile {
    const KIND: &'static str = "answers";
    const VERSION: u64 = 1;
}

/// What signatures of answers are for, so that none fits anything else.
const PURPOSE: &str = "corefed-answers-1";

impl AnswersFile {
    /// Signs everything but the signature.
    pub(super) fn sign(&mut self, key: &AgentKey) -> Result<(), RunError> {
        self.signature = None;
        self.signature = Some(key.sign_text(PURPOSE, &self.to_json()?));
        Ok(())
    }

    /// Whether it comes from whom the terms name: signed by its key where it has one.
    pub(super) fn check(&self, session: &MailSession, path: &Path) -> Result<usize, RunError> {
        let refuse = |problem: &str| MailError::Foreign {
            path: path.to_owned(),
            agent: self.agent.clone(),
            problem: problem.to_owned(),
        };
        let agent = session.agent(&self.agent).ok_or_else(|| refuse("the terms do not name it"))?;
        if self.session != session.digest()? {
            return Err(refuse("they answer another session, or other terms").into());
        }
        let unsigned = Self { signature: None, ..self.clone() }.to_json()?;
        let fits = |key: &String| {
            self.signature
                .as_ref()
                .is_some_and(|given| is_signed_by(key, PURPOSE, &unsigned, given))
        };
        match &session.keys[agent] {
            Some(_) if self.signature.is_none() => Err(refuse("they are not signed").into()),
            Some(key) if !fits(key) => {
                Err(refuse("the signature is not by its key, or they were changed").into())
            }
            _ => Ok(agent),
        }
    }
}

/// A file name from an agent's name, which may hold anything: not hidden, and not to be taken for an option.
#[must_use]
pub fn file_stem(agent: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = agent.chars().map(plain).collect();
    match name.trim_start_matches(['.', '-']) {
        "" => "agent".to_owned(),
        name => name.to_owned(),
    }
}

/// Writes a file whole or not at all.
pub(super) fn put(path: &Path, text: &str) -> Result<(), RunError> {
    Ok(corefed_log::write_entry(path, text)?)
}

#[cfg(test)]
mod tests {
    use corefed_core::{AgreedModel, OwnModel};
    use corefed_remote::{Options, Task};

    use super::*;

    #[test]
    fn a_model_of_the_agents_own_cannot_be_asked_about_by_mail() {
        let own = OwnModel { own: "huber".to_owned(), l2: 0.0, radius: 1.0, parameters: vec![0.0] };
        let setup = Setup {
            predictor: AgreedModel::Own(own),
            agents: Vec::new(),
            tolerance: 0.0,
            task: Task::Audit,
            options: Options::default(),
        };
        let session = MailSession { setup, keys: Vec::new(), cells: Vec::new() };
        let problem = session.contradiction().expect("losses do not follow from rows");
        assert!(problem.contains("the agents' own"), "{problem}");
    }

    #[test]
    fn a_name_of_an_agent_cannot_leave_the_folder() {
        assert_eq!(file_stem("../Ärzte & Co"), "Ärzte---Co");
        assert_eq!(file_stem("--All"), "All");
        assert_eq!(file_stem("..."), "agent");
    }
}
