//! A federation by mail, told to those who send and receive.

use std::path::Path;

use corefed_documents::AuditDocument;

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
        match refused {
            Some(reason) => writeln!(f, "`{agent}`, round {round}: refused: {reason}")?,
            None => writeln!(f, "`{agent}`, round {round}: {now} numbers answered")?,
        }
        writeln!(f, "  told so far  {}", told(*all, *cells))?;
        writeln!(f, "send {}; your rows stay here", file.display())
    }
}

fn told(numbers: usize, cells: usize) -> String {
    format!("{numbers} numbers, {:.2} per cell owned", numbers as f64 / cells as f64)
}

/// What a coordinator is told who waits for answers.
#[must_use]
pub fn waiting(round: usize, questions: &Path, waiting: &[String], folder: &Path) -> String {
    format!(
        "round {round}: waiting for {}\nsend them {}, and put what comes back into {}\n",
        waiting.join(", "),
        questions.display(),
        folder.display()
    )
}

/// The end of a session: the answer, what each agent told (name, numbers, cells), and what to do next.
#[must_use]
pub fn concluded(
    audit: &AuditDocument,
    (rounds, points): (usize, usize),
    accounts: &[(&str, usize, usize)],
    certificate: &Path,
) -> String {
    let mut text = super::predictor(audit);
    text += &format!("rows stayed: {rounds} rounds, {points} points\n");
    for (agent, numbers, cells) in accounts {
        text += &format!("  {agent}  {}\n", told(*numbers, *cells));
    }
    text + &format!(
        "send {} to everybody, who sign it with `corefed attest`\n",
        certificate.display()
    )
}
