//! A training in words: who gets what, and would anybody leave?

use std::fmt::Write;

use corefed_documents::{AuditDocument, HeldOutAudit};
use corefed_log::{AgentRecord, RoundRecord, RunHeader};

use super::assumptions;
use super::held_out::{self, Shown};
use crate::columns::columns;
use crate::markdown::{self, escape};
use crate::plain::plain;
use crate::verdict;

/// A training that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Training<'a> {
    /// What it was.
    pub header: &'a RunHeader,
    /// The round whose model is kept: the last in which everybody was measured, or the best.
    pub round: &'a RoundRecord,
    /// Everybody in that round.
    pub agents: &'a [AgentRecord],
    /// The verdict on its model.
    pub audit: &'a AuditDocument,
}

/// Agents beyond this are not all listed.
const MOST_LISTED: usize = 20;

/// One row per agent, worst first when there are too many to list; with what is known of held-out
/// rows.
fn agents(
    header: &RunHeader,
    last: &[AgentRecord],
    aside: Option<&HeldOutAudit>,
) -> (Vec<Vec<String>>, usize) {
    let own = |name: &str| aside?.agents.iter().find(|agent| agent.name == name);
    let alone = aside.is_some_and(|found| found.agents.iter().any(|a| a.alone.is_some()));
    let accuracy = last.iter().any(|agent| agent.accuracy.is_some());
    let mut names = ["agent", "samples", "ceiling", "loss", "utility"].map(str::to_owned).to_vec();
    if accuracy {
        names.push("accuracy".to_owned());
    }
    if let Some(found) = aside {
        names.extend(["held-out loss", "held-out utility"].map(str::to_owned));
        names.push(format!("held-out {}", found.quality));
        if alone {
            names.push(format!("alone: held-out loss ({})", found.quality));
        }
    }
    let mut rows = vec![names];
    let mut listed: Vec<(&AgentRecord, usize)> = last.iter().zip(0..header.agents.len()).collect();
    let left_out = listed.len().saturating_sub(MOST_LISTED);
    if left_out > 0 {
        let utility = |agent: &AgentRecord| agent.utility.unwrap_or(f64::NAN);
        listed.sort_by(|a, b| utility(a.0).total_cmp(&utility(b.0)));
        listed.truncate(MOST_LISTED);
    }
    let number = |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:.4}"));
    let percent =
        |value: Option<f64>| value.map_or_else(String::new, |v| format!("{:.2} %", 100.0 * v));
    for (agent, k) in listed {
        let known = &header.agents[k];
        let mut row = vec![
            agent.agent.clone(),
            known.samples.to_string(),
            format!("{:.4}", known.ceiling),
            number(agent.loss),
            number(agent.utility),
        ];
        if accuracy {
            row.push(percent(agent.accuracy));
        }
        if let Some(found) = aside {
            let known = own(&agent.agent);
            let model = known.and_then(|known| known.model);
            row.push(number(model.map(|model| model.loss)));
            row.push(number(model.map(|model| model.utility)));
            let quality = model.and_then(|model| model.quality);
            row.push(quality.map_or_else(String::new, |q| held_out::quality(&found.quality, q)));
            if alone {
                row.push(held_out::cell(known.and_then(|k| k.alone), &found.quality, Shown::Loss));
            }
        }
        rows.push(row);
    }
    (rows, left_out)
}

fn aside<'a>(training: &Training<'a>) -> Option<&'a HeldOutAudit> {
    training.audit.held_out.as_ref()
}

/// What was trained, and for how many rounds.
pub(super) fn opening(header: &RunHeader, rounds: usize) -> String {
    format!(
        "# {}: {} after {rounds} rounds\n\nData `{}`, seed {}, {} agents. A utility is the ceiling minus \
         the loss.\n\n",
        escape(&header.name),
        header.rule,
        header.data.file,
        header.seed,
        header.agents.len()
    )
}

/// The table of agents in Markdown.
pub(super) fn listed(
    header: &RunHeader,
    last: &[AgentRecord],
    aside: Option<&HeldOutAudit>,
) -> String {
    let (rows, left_out) = agents(header, last, aside);
    let mut text = markdown::table(&rows);
    if left_out > 0 {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\n{left_out} others are better off.");
    }
    text
}

/// The numbers below the table.
fn facts(training: &Training<'_>) -> Vec<String> {
    let Training { round, audit, .. } = *training;
    let mut facts = Vec::new();
    if training.header.keeps.is_some() {
        facts.push(format!("model of round {}, the best on the validation rows", round.round));
    }
    if let Some(welfare) = round.log_welfare {
        facts.push(format!("log-welfare {welfare:.6}"));
    }
    if let Some(accuracy) = round.test_accuracy {
        facts.push(format!("test accuracy {:.2} %", 100.0 * accuracy));
    }
    if let Some(gap) = round.equity_gap {
        facts.push(format!("equity gap {gap:.4}"));
    }
    facts.push(verdict::intervals(audit.kappa, audit.everybody));
    facts
}

/// The verdict in a sentence, what stands beside it, and what was decided about the table.
fn said(audit: &AuditDocument) -> Vec<String> {
    let mut said = vec![verdict::sentence(audit)];
    said.extend(held_out::sentence(audit, &verdict::noun(audit)));
    said.extend(verdict::beside(audit));
    said.extend(audit.warnings.iter().map(|warning| format!("WARNING: {warning}")));
    said.extend(audit.notes.iter().map(|note| format!("note: {note}")));
    said
}

impl Training<'_> {
    /// Tells it with every name shown.
    fn told(&self, tell: impl FnOnce(&Training<'_>) -> String) -> String {
        let Self { header, round, agents, audit } = *self;
        let (header, round, audit) = (plain(header), plain(round), plain(audit));
        let agents: Vec<AgentRecord> = agents.iter().map(|own| plain(own).into_owned()).collect();
        tell(&Training { header: &header, round: &round, agents: &agents, audit: &audit })
    }
}

/// For the terminal.
#[must_use]
pub fn text(training: &Training<'_>) -> String {
    training.told(terminal)
}

fn terminal(training: &Training<'_>) -> String {
    let (rows, left_out) = agents(training.header, training.agents, aside(training));
    let mut text = columns(&rows);
    if left_out > 0 {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  ... and {left_out} others, better off");
    }
    let verdict = said(training.audit).join("\n");
    let _ = write!(text, "\n{}\n{verdict}\n", facts(training).join(", "));
    text
}

/// For the run folder.
#[must_use]
pub fn markdown(training: &Training<'_>) -> String {
    training.told(in_markdown)
}

fn in_markdown(training: &Training<'_>) -> String {
    let Training { header, round, agents, audit } = *training;
    let mut text = opening(header, round.round);
    text.push_str(&listed(header, agents, aside(training)));
    let _ = write!(
        text,
        "\n{}\n\n**{}**\n\n## What the verdict rests on\n\n",
        facts(training).join(", "),
        escape(&said(audit).join(" "))
    );
    text.push_str(&assumptions(audit));
    text
}
