//! The coordinator's folder: everything that came, replayed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use corefed_core::read_json;
use corefed_documents::{Document, kind_of};
use corefed_log::{begin_list, check_links, list_documents};
use corefed_model::QuadraticLosses;
use corefed_remote::{Account, Oracle, Outcome, Questions, RowOracle, Session, Step};

use super::begin::{MailTerms, Summaries};
use super::conclude::{Concluded, conclude};
use super::files::{AnswersFile, MailSession, QuestionsFile, put};
use super::summary::Summary;
use crate::{MailError, RunError};

/// Where a session stands.
#[derive(Clone, Debug)]
pub enum Mailed {
    /// Answers are missing.
    Waiting {
        /// The round.
        round: usize,
        /// The file to send to everybody who is waited for.
        questions: PathBuf,
        /// Who that is.
        waiting: Vec<String>,
    },
    /// It is over: the folder has `certificate.json`, `audit.json` and `report.html`.
    Done(Box<Concluded>),
}

/// Replays a folder: begins a session from summaries where there is none, takes every answer that came, and writes
/// the next questions or the end. `terms` are those of a new session, or the same again; `absent` agents are not waited for.
/// What it takes and writes is listed with its digest: [`edits`](crate::edits) tells what was edited since.
pub fn audit_answers(
    folder: &Path,
    terms: &MailTerms,
    absent: &[String],
) -> Result<Mailed, RunError> {
    let Post { summaries, answers } = Post::of(folder)?;
    let path = folder.join("session.json");
    let begun = path.exists();
    let session =
        if begun { MailSession::read(&path)? } else { terms.begin(folder, &summaries)? };
    // The same terms again are those of a call that was cut off after it had begun the session.
    if begun && *terms != MailTerms::default() {
        let again = terms.begin(folder, &summaries).and_then(|again| again.digest());
        if again.ok() != Some(session.digest()?) {
            return Err(MailError::Begun { path: folder.to_owned() }.into());
        }
    }
    if let Some(problem) = session.contradiction() {
        return Err(MailError::Questions { path, problem }.into());
    }
    let mut silent = Vec::new();
    for name in absent {
        silent.push(session.agent(name).ok_or_else(|| stranger(&session, name))?);
    }
    let mut engine = Session::new(session.setup.clone())
        .map_err(|bad| MailError::Setup { reason: bad.to_string(), help: bad.hint().to_owned() })?;
    if !begun {
        begin_list(folder, &names(summaries.values().map(|(path, _)| path)))?;
        put(&path, &session.to_json()?)?;
    }
    let known = Known::of(&session, &summaries);
    loop {
        let questions = match engine.next() {
            Step::Done(outcome) => return finish(folder, &session, &outcome),
            Step::Ask(questions) => questions,
        };
        take(&mut engine, &session, &questions, &answers, &known)?;
        let round = answers.iter().filter(|(_, file)| file.round == questions.round);
        list_documents(folder, &names(round.map(|(path, _)| path)))?;
        for &agent in &silent {
            if engine.missing().any(|missing| missing == agent) {
                engine.refuse(agent);
            }
        }
        let waiting: Vec<usize> = engine.missing().collect();
        if !waiting.is_empty() {
            let name = format!("questions-{:02}.json", questions.round);
            let (round, path) = (questions.round, folder.join(name));
            let file = QuestionsFile { session: session.clone(), questions };
            put(&path, &file.to_json()?)?;
            let names = waiting.iter().map(|&k| session.setup.agents[k].name.clone());
            return Ok(Mailed::Waiting { round, questions: path, waiting: names.collect() });
        }
    }
}

/// Names of files, for the list of what they were when they were taken.
fn names<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Vec<&'a str> {
    paths.filter_map(|path| path.file_name()?.to_str()).collect()
}

fn finish(folder: &Path, session: &MailSession, outcome: &Outcome) -> Result<Mailed, RunError> {
    let concluded = conclude(session, outcome)?;
    concluded.write(folder)?;
    Ok(Mailed::Done(Box::new(concluded)))
}

fn stranger(session: &MailSession, name: &str) -> MailError {
    let known = session.setup.agents.iter().map(|agent| agent.name.clone()).collect();
    MailError::Stranger { name: name.to_owned(), known }
}

/// Hands the answers to one round to the engine: from files, or from what summaries tell.
fn take(
    engine: &mut Session,
    session: &MailSession,
    questions: &Questions,
    answers: &[(PathBuf, AnswersFile)],
    known: &Known,
) -> Result<(), RunError> {
    let mut seen: BTreeMap<usize, (&Path, &AnswersFile)> = BTreeMap::new();
    for (path, file) in answers.iter().filter(|(_, file)| file.round == questions.round) {
        let agent = file.check(session, path)?;
        if let Some((first, other)) = seen.insert(agent, (path, file))
            && other != file
        {
            let (first, second) = (first.to_owned(), path.clone());
            return Err(MailError::Twice { first, second, agent: file.agent.clone() }.into());
        }
    }
    let missing: Vec<usize> = engine.missing().collect();
    for agent in missing {
        let told = match (seen.get(&agent), questions.of(agent)) {
            (Some((_, file)), _) if file.answers.is_none() => {
                engine.refuse(agent);
                continue;
            }
            (Some((path, file)), _) => file.answers.clone().map(|answers| (*path, answers)),
            (None, Some(request)) => known.answer(session, agent, &request),
            (None, None) => None,
        };
        let Some((path, told)) = told else { continue };
        engine.receive(agent, told).map_err(|bad| MailError::BadAnswer {
            path: path.to_owned(),
            agent: session.setup.agents[agent].name.clone(),
            reason: bad.to_string(),
            help: bad.hint().to_owned(),
        })?;
    }
    Ok(())
}

/// Least-squares losses that follow from summaries.
struct Known(Vec<Option<(PathBuf, QuadraticLosses)>>);

impl Known {
    fn of(session: &MailSession, summaries: &Summaries) -> Self {
        let Ok(predictor) = session.predictor() else {
            return Self(session.setup.agents.iter().map(|_| None).collect());
        };
        let one = |agent: &corefed_remote::Participant| {
            let (path, summary) = summaries.get(&agent.name)?;
            let gram = summary.gram.as_ref().filter(|gram| gram.is_whole())?;
            let losses = gram.losses(&predictor.encoding, summary.table.rows, predictor.l2);
            Some((path.clone(), losses))
        };
        let quadratic = predictor.family.is_quadratic();
        let all =
            session.setup.agents.iter().map(|agent| if quadratic { one(agent) } else { None });
        Self(all.collect())
    }

    fn answer(
        &self,
        session: &MailSession,
        agent: usize,
        request: &corefed_remote::Request,
    ) -> Option<(&Path, corefed_remote::Answers)> {
        let (path, losses) = self.0[agent].as_ref()?;
        let book = Account { cells: session.cells[agent], answered: 0, budget: None };
        let mut oracle = RowOracle::new(losses, 0, session.setup.predictor.radius(), None, book);
        Some((path, oracle.answer(request).ok()?))
    }
}

/// What came, by what it says it is; names of files do not matter.
struct Post {
    summaries: Summaries,
    answers: Vec<(PathBuf, AnswersFile)>,
}

impl Post {
    fn of(folder: &Path) -> Result<Self, RunError> {
        check_links(folder)?;
        let read = |source| RunError::Read { path: folder.to_owned(), source };
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(read)? {
            let path = entry.map_err(read)?.path();
            if path.extension().is_some_and(|ending| ending == "json") {
                paths.push(path);
            }
        }
        paths.sort();
        let (mut summaries, mut answers) = (Summaries::new(), Vec::new());
        for path in paths {
            let text =
                read_json(&path).map_err(|source| RunError::Read { path: path.clone(), source })?;
            match kind_of(&text).as_deref() {
                Some(Summary::KIND) => {
                    let summary = Summary::read(&path)?;
                    let agent = summary.agent.clone();
                    if let Some((first, _)) = summaries.get(&agent) {
                        let (first, second) = (first.clone(), path);
                        return Err(MailError::Twice { first, second, agent }.into());
                    }
                    summaries.insert(agent, (path, summary));
                }
                Some(AnswersFile::KIND) => answers.push((path.clone(), AnswersFile::read(&path)?)),
                _ => {}
            }
        }
        Ok(Self { summaries, answers })
    }
}
