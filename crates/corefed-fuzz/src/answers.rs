//! A federation by mail: files that travel between an agent and a coordinator who do not trust each other.

use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use corefed_core::Family;
use corefed_data::EncodeOptions;
use corefed_documents::Document;
use corefed_run::{
    AnswersFile, MailSession, MailTerms, Mailed, QuestionsFile, Summary, answer, audit_answers,
    summarise,
};

use crate::scratch::{self, TINY};

const AGENTS: [&str; 3] = ["Ada", "Bob", "Cy"];

/// One agent's rows as its own file, without the others.
pub(crate) fn own_rows(agent: &str) -> PathBuf {
    let mine = |line: &&str| line.starts_with("agent,") || line.starts_with(agent);
    let rows: Vec<&str> = TINY.lines().filter(mine).collect();
    scratch::file(&format!("{agent}.csv"), (rows.join("\n") + "\n").as_bytes())
}

/// The coordinator's folder with everybody's summary and the first questions.
pub(crate) static POST: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = scratch::folder("post");
    let options = EncodeOptions::new("agent", "sick", Family::Logistic);
    for agent in AGENTS {
        let summary = summarise(&own_rows(agent), agent, &options, None).expect("a summary");
        let text = summary.to_json().expect("JSON");
        fs::write(folder.join(format!("{agent}.summary.json")), text).expect("a summary");
    }
    let terms = MailTerms { l2: Some(0.1), ..MailTerms::default() };
    let asked = audit_answers(&folder, &terms, &[]).expect("questions");
    assert!(matches!(asked, Mailed::Waiting { round: 1, .. }), "{asked:?}");
    for agent in &AGENTS[1..] {
        let text = honest(&folder, agent).to_json().expect("JSON");
        fs::write(folder.join(format!("answers-01-{agent}.json")), text).expect("answers");
    }
    folder
});

fn honest(folder: &Path, agent: &str) -> AnswersFile {
    let account = scratch::folder("account").join("account.json");
    let questions = folder.join("questions-01.json");
    let rows = own_rows(agent);
    answer(&questions, &rows, Some(agent), None, (&account, None)).expect("answers").file
}

/// An agent's file, a summary or answers, in the folder of a coordinator who has everybody else's. Answers to
/// another session are addressed to this one.
pub(crate) fn answers(bytes: &[u8]) {
    let folder = scratch::copy(&POST, "coordinator");
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Some(summary) = accepted::<Summary>(text) {
        // A session begins anew with this summary among the others.
        let begun = scratch::folder("begun");
        for agent in &AGENTS[1..] {
            let name = format!("{agent}.summary.json");
            scratch::again(&POST.join(&name), &begun.join(&name));
        }
        fs::write(begun.join("input.summary.json"), text).expect("a summary");
        let terms = MailTerms { l2: Some(0.1), ..MailTerms::default() };
        let _ = (summary.cells(), audit_answers(&begun, &terms, &[]));
    }
    let Some(mut file) = accepted::<AnswersFile>(text) else { return };
    let session = MailSession::read(&POST.join("session.json")).expect("a session");
    file.session = session.digest().expect("a digest");
    AGENTS[0].clone_into(&mut file.agent);
    if let (Some(answers), Ok(asked)) =
        (&mut file.answers, QuestionsFile::read(&POST.join("questions-01.json")))
    {
        answers.points = corefed_remote::points_digest(&asked.questions.points);
    }
    let Ok(text) = file.to_json() else { return };
    fs::write(folder.join("answers-01-Ada.json"), text).expect("answers");
    if let Err(error) = audit_answers(&folder, &MailTerms::default(), &[]) {
        let _ = (error.to_string(), error.hint());
    }
}

/// A document, if the text is one; written, it is read again as it is.
fn accepted<D: Document + PartialEq + Debug>(text: &str) -> Option<D> {
    let read = D::parse("input.json", text).ok()?;
    let again = D::parse("input.json", &read.to_json().expect("JSON"));
    assert_eq!(again.as_ref().ok(), Some(&read), "{:?}", again.as_ref().err());
    Some(read)
}

/// Questions that an agent is to answer from its rows.
pub(crate) fn questions(bytes: &[u8]) {
    let _ = std::str::from_utf8(bytes).ok().and_then(accepted::<QuestionsFile>);
    let path = scratch::file("questions.json", bytes);
    let account = scratch::folder("account").join("account.json");
    match answer(&path, &own_rows("Ada"), Some("Ada"), None, (&account, Some(1.0))) {
        Ok(_) => {}
        Err(error) => {
            let _ = (error.to_string(), error.hint());
        }
    }
}
