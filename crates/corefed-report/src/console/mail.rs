//! A federation by mail, told to those who send and receive.

use std::fmt::Write;
use std::path::Path;

use corefed_core::{one_line, shown};
use corefed_documents::AuditDocument;

use crate::plain::shown_path;

/// What an agent is told that has answered, or refused, a round.
pub struct Answered<'a> {
    /// The agent.
    pub agent: &'a str,
    /// The round.
    pub round: usize,
    /// Why it refused.
    pub refused: Option<&'a str>,
    /// Numbers in this answer, and so far.
    pub numbers: (usize, usize),
    /// Numbers in its table.
    pub cells: usize,
    /// What to send back.
    pub file: &'a Path,
}

impl std::fmt::Display for Answered<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { agent, round, refused, numbers: (now, all), cells, file } = self;
        let agent = shown(agent);
        match refused {
            Some(reason) => {
                writeln!(f, "`{agent}`, round {round}: refused: {}", one_line(reason))?;
            }
            None => writeln!(f, "`{agent}`, round {round}: {now} numbers answered")?,
        }
        writeln!(f, "  told so far  {}", told(*all, *cells))?;
        writeln!(f, "send {}; your rows stay here", shown_path(file))
    }
}

fn told(numbers: usize, cells: usize) -> String {
    format!("{numbers} numbers, {:.2} per cell owned", numbers as f64 / cells as f64)
}

/// What a coordinator is told who waits for answers.
#[must_use]
pub fn waiting(round: usize, questions: &Path, waiting: &[String], folder: &Path) -> String {
    let waiting: Vec<_> = waiting.iter().map(|name| shown(name)).collect();
    format!(
        "round {round}: waiting for {}\nsend them {}, and put what comes back into {}\n",
        waiting.join(", "),
        shown_path(questions),
        shown_path(folder)
    )
}

/// The end of a session: the answer, what each agent told, and what to do next.
#[must_use]
pub fn concluded(
    audit: &AuditDocument,
    asked: &corefed_documents::Answered,
    certificate: &Path,
) -> String {
    let mut text = super::predictor(audit);
    // A string takes everything.
    let _ = writeln!(text, "rows stayed: {} rounds, {} points", asked.rounds, asked.points);
    for agent in &asked.agents {
        let told = told(agent.total(), agent.cells.unwrap_or(1));
        let _ = writeln!(text, "  {}  {told}", shown(&agent.name));
    }
    let certificate = shown_path(certificate);
    let _ = writeln!(text, "send {certificate} to everybody, who sign it with `corefed attest`");
    text
}
