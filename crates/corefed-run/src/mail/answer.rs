//! An agent answers one round from its own rows, within its budget.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use corefed_core::digest_bytes;
use corefed_data::{apply_own, read_table};
use corefed_documents::Document;
use corefed_model::convex_losses;
use corefed_remote::{Account, Asked, Ceiling, Oracle, Request, RowOracle, points_digest};
use corefed_verify::AgentKey;
use serde::{Deserialize, Serialize};

use super::files::{AnswersFile, MailSession, QuestionsFile, put};
use crate::declared::declared_ceiling;
use crate::{MailError, RunError};

/// What an agent has told about one table, in all sessions: its own record, which it shows to nobody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Told {
    /// Numbers by session, round and what was asked; the same questions again cost nothing.
    pub(super) rounds: BTreeMap<String, usize>,
}

impl Document for Told {
    const KIND: &'static str = "account";
    const VERSION: u64 = 1;
}

/// What came of a round of questions.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// What to send back.
    pub file: AnswersFile,
    /// The terms that were answered under.
    pub session: MailSession,
    /// Numbers in this answer.
    pub numbers: usize,
}

/// Answers a file of questions about the rows of a file. `account` is where the agent remembers how much it has
/// told; `budget` is in numbers per cell that it owns, over all sessions.
pub fn answer(
    questions: &Path,
    rows: &Path,
    agent: Option<&str>,
    key: Option<&AgentKey>,
    (account, budget): (&Path, Option<f64>),
) -> Result<Answered, RunError> {
    if let Some(budget) = budget.filter(|budget| budget.is_nan() || *budget < 0.0) {
        return Err(MailError::Budget { budget }.into());
    }
    let file = QuestionsFile::read(questions)?;
    let refuse = |problem| MailError::Questions { path: questions.to_owned(), problem };
    if let Some(problem) = file.session.contradiction() {
        return Err(refuse(problem).into());
    }
    let k = who(&file.session, agent, key)?;
    let session = &file.session;
    let name = session.setup.agents[k].name.clone();
    if let (Some(key), Some(public)) = (key, &session.keys[k])
        && key.public() != *public
    {
        return Err(MailError::OtherKey { agent: name }.into());
    }
    let predictor = session.predictor().map_err(refuse)?;
    let table = read_table(rows)?;
    let own = apply_own(&table, &predictor.encoding, predictor.family, Some(&name))?;
    let (told, found) = (session.setup.agents[k].samples, own.design().rows());
    if told != found {
        return Err(MailError::Rows { agent: name, path: rows.to_owned(), told, found }.into());
    }
    let classes = predictor.encoding.classes.len();
    let losses = convex_losses(&own, predictor.family, classes, predictor.l2);
    if let Some(problem) = file.contradiction(losses.dim()) {
        return Err(refuse(problem).into());
    }
    let Some(request) = file.questions.of(k) else {
        let known = asked(session, &file.questions.asked);
        return Err(MailError::Stranger { name, known }.into());
    };
    let mut told = if account.exists() { Told::read(account)? } else { Told::default() };
    let (digest, cells) = (session.digest()?, session.cells[k]);
    let place = format!("{digest}/{}/{}", request.round, question_digest(&request));
    let before: usize =
        told.rounds.iter().filter(|(key, _)| **key != place).map(|(_, numbers)| numbers).sum();
    let ceiling = match &session.setup.agents[k].ceiling {
        Ceiling::Declared(policy) => declared_ceiling(policy, predictor, &own),
        Ceiling::Absolute(_) | Ceiling::Initial(_) | Ceiling::Settled { .. } => None,
    };
    let book = Account { cells, answered: before, budget };
    let mut oracle = RowOracle::new(&*losses, 0, predictor.radius, ceiling, book);
    let (answers, refused) = match oracle.answer(&request) {
        Ok(answers) => (Some(answers), None),
        Err(refusal) => (None, Some(refusal.to_string())),
    };
    let numbers = if answers.is_some() { request.numbers() } else { 0 };
    if numbers > 0 {
        told.rounds.insert(place, numbers);
        put(account, &told.to_json()?)?;
    }
    let mut answers_file = AnswersFile {
        session: digest,
        agent: name,
        round: request.round,
        answers,
        refused,
        answered: before + numbers,
        cells,
        signature: None,
    };
    if let Some(key) = key {
        answers_file.sign(key)?;
    }
    Ok(Answered { file: answers_file, session: file.session, numbers })
}

/// A name for what is asked. A coordinator may write other questions for the same round of a session, and they have
/// other answers.
fn question_digest(request: &Request) -> String {
    let Asked { gradients, hessians, own, ceiling } = &request.asked;
    let asked = format!("{gradients:?} {hessians:?} {own} {ceiling}");
    digest_bytes(format!("{} {asked}", points_digest(&request.points)).as_bytes())
}

/// Who answers: as told, or whose key it is.
fn who(
    session: &MailSession,
    agent: Option<&str>,
    key: Option<&AgentKey>,
) -> Result<usize, MailError> {
    let public = key.map(AgentKey::public);
    let found = match agent {
        Some(name) => session.agent(name),
        None => session.keys.iter().position(|known| known.is_some() && *known == public),
    };
    found.ok_or_else(|| MailError::Stranger {
        name: agent.unwrap_or("the owner of this key").to_owned(),
        known: session.setup.agents.iter().map(|agent| agent.name.clone()).collect(),
    })
}

fn asked<T>(session: &MailSession, asked: &[Option<T>]) -> Vec<String> {
    let pairs = session.setup.agents.iter().zip(asked);
    pairs.filter(|(_, asked)| asked.is_some()).map(|(agent, _)| agent.name.clone()).collect()
}

/// Where an agent remembers by default: beside its rows.
#[must_use]
pub fn account_beside(rows: &Path) -> PathBuf {
    let mut name = rows.as_os_str().to_owned();
    name.push(".account.json");
    name.into()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use corefed_core::Family;
    use corefed_data::EncodeOptions;

    use super::*;
    use crate::{MailTerms, audit_answers, summarise};

    const ROWS: &str = "agent,age,sick\nAda,31,yes\nAda,44,no\nAda,52,no\nAda,38,yes\nBob,29,yes\nBob,61,no\n\
                        Bob,47,no\nBob,35,yes\n";

    #[test]
    fn other_questions_for_the_same_round_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let options = EncodeOptions::new("agent", "sick", Family::Logistic);
        for agent in ["Ada", "Bob"] {
            let mine = ROWS.lines().filter(|line| line.starts_with(agent));
            let rows: Vec<&str> = ["agent,age,sick"].into_iter().chain(mine).collect();
            fs::write(path(&format!("{agent}.csv")), rows.join("\n") + "\n").unwrap();
            let own = path(&format!("{agent}.csv"));
            let summary = summarise(&own, agent, &options, None).unwrap().to_json().unwrap();
            fs::write(path(&format!("{agent}.summary.json")), summary).unwrap();
        }
        let terms = MailTerms { l2: Some(0.1), ..MailTerms::default() };
        audit_answers(folder.path(), &terms, &[]).unwrap();
        let account = path("account.json");
        let told = |questions: &Path| {
            let found = answer(questions, &path("Ada.csv"), Some("Ada"), None, (&account, None));
            found.unwrap().file.answered
        };
        let first = path("questions-01.json");
        let once = told(&first);
        assert_eq!(told(&first), once, "the same again costs nothing");
        let mut file = QuestionsFile::read(&first).unwrap();
        file.questions.points[0][0] += 0.125;
        let other = path("other.json");
        fs::write(&other, file.to_json().unwrap()).unwrap();
        assert_eq!(told(&other), 2 * once, "other points have other answers");
        assert_eq!(told(&first), 2 * once);
    }
}
