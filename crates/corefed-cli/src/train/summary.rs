//! A training in words: who gets what, and would anybody leave?

use std::fmt::Write;

use corefed_log::{AgentRecord, RunHeader};
use corefed_sim::Outcome;

use super::conclude::Finding;
use crate::summary::escape;
use crate::{text, words};

/// Agents beyond this are not all listed.
const MOST_LISTED: usize = 20;

/// One row per agent, worst first when there are too many to list.
fn agents(header: &RunHeader, last: &Outcome) -> (Vec<Vec<String>>, usize) {
    let held_out = last.agents.iter().any(|agent| agent.held_out_loss.is_some());
    let accuracy = last.agents.iter().any(|agent| agent.accuracy.is_some());
    let mut names = vec!["agent", "samples", "ceiling", "loss", "utility"];
    if accuracy {
        names.push("accuracy");
    }
    if held_out {
        names.push("held-out utility");
        if accuracy {
            names.push("held-out accuracy");
        }
    }
    let mut rows = vec![names.into_iter().map(str::to_owned).collect::<Vec<_>>()];
    let mut listed: Vec<(&AgentRecord, usize)> =
        last.agents.iter().zip(0..header.agents.len()).collect();
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
        if held_out {
            row.push(number(agent.held_out_utility));
            if accuracy {
                row.push(percent(agent.held_out_accuracy));
            }
        }
        rows.push(row);
    }
    (rows, left_out)
}

/// The numbers below the table.
fn facts(last: &Outcome, finding: &Finding) -> Vec<String> {
    let record = &last.round;
    let conclusion = finding.conclusion();
    let mut facts = Vec::new();
    if let Some(welfare) = record.log_welfare {
        facts.push(format!("log-welfare {welfare:.6}"));
    }
    if let Some(accuracy) = record.test_accuracy {
        facts.push(format!("test accuracy {:.2} %", 100.0 * accuracy));
    }
    if let Some(gap) = record.equity_gap {
        facts.push(format!("equity gap {gap:.4}"));
    }
    facts.push(format!(
        "{}, headroom {:.4}",
        words::intervals(conclusion.kappa, conclusion.everybody),
        conclusion.headroom
    ));
    facts
}

/// The verdict in a sentence, and what stands beside it.
pub(crate) fn verdict(weights: &[f64], finding: &Finding) -> Vec<String> {
    match finding {
        Finding::Exact(found) => {
            let mut said = vec![words::sentence(&found.0)];
            said.extend(words::beside(&found.0));
            said
        }
        Finding::Bounds(found) => {
            let mut said = vec![words::bounded(found, weights)];
            said.extend(words::still(found.verdict, found.everybody, found.tolerance));
            said.extend(
                found
                    .search_failed
                    .as_ref()
                    .map(|reason| format!("The search for better rivals failed: {reason}")),
            );
            said
        }
    }
}

fn weights(header: &RunHeader) -> Vec<f64> {
    header.agents.iter().map(|agent| agent.weight).collect()
}

/// For the terminal.
pub(crate) fn text(header: &RunHeader, last: &Outcome, finding: &Finding) -> String {
    let (rows, left_out) = agents(header, last);
    let mut said = text::table(&rows);
    if left_out > 0 {
        // Writing to a String cannot fail.
        let _ = writeln!(said, "  ... and {left_out} others, better off");
    }
    let verdict = verdict(&weights(header), finding).join("\n");
    let _ = write!(said, "\n{}\n{verdict}\n", facts(last, finding).join(", "));
    said
}

/// For the run folder.
pub(crate) fn markdown(header: &RunHeader, last: &Outcome, finding: &Finding) -> String {
    let mut said = format!(
        "# {}: {} after {} rounds\n\nData `{}`, seed {}, {} agents. A utility is the ceiling minus \
         the loss.\n\n",
        escape(&header.name),
        header.rule,
        last.round.round,
        header.data.file,
        header.seed,
        header.agents.len()
    );
    let (rows, left_out) = agents(header, last);
    for (k, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row.iter().map(|cell| escape(cell)).collect();
        let _ = writeln!(said, "| {} |", cells.join(" | "));
        if k == 0 {
            let _ = writeln!(said, "|---|{}", "---:|".repeat(row.len() - 1));
        }
    }
    if left_out > 0 {
        let _ = writeln!(said, "\n{left_out} others are better off.");
    }
    let _ = write!(
        said,
        "\n{}\n\n**{}**\n",
        facts(last, finding).join(", "),
        escape(&verdict(&weights(header), finding).join(" "))
    );
    let assumptions = match finding {
        Finding::Exact(found) => &found.0.assumptions,
        Finding::Bounds(found) => &found.assumptions,
    };
    said.push_str("\n## What the verdict rests on\n\n");
    for assumption in assumptions {
        let _ = writeln!(
            said,
            "- **{}**: {}: {}",
            assumption.status,
            assumption.statement,
            escape(&assumption.detail)
        );
    }
    said
}
