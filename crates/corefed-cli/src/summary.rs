//! The summary of a run, for the terminal and as Markdown.

use std::fmt::Write;
use std::path::Path;
use std::sync::OnceLock;

use corefed_report::words::percent;
use corefed_spec::Spec;

use crate::answer::Answer;
use crate::{text, words};

/// What each rule is called in front of people who know it under another name.
fn title(answer: &Answer) -> String {
    match answer.rule {
        Some(corefed_solve::Rule::Utilitarian) => "utilitarian (FedAvg)".to_owned(),
        Some(corefed_solve::Rule::Egalitarian) => "egalitarian (min-max)".to_owned(),
        Some(rule) => rule.to_string(),
        None => "given".to_owned(),
    }
}

/// One row per agent, one column per rule.
fn utilities(answers: &[Answer]) -> Vec<Vec<String>> {
    let mut header = vec!["utility".to_owned(), "samples".to_owned(), "alone".to_owned()];
    header.extend(answers.iter().map(title));
    let mut rows = vec![header];
    let Some(first) = answers.first() else { return rows };
    for (k, agent) in first.agents.iter().enumerate() {
        let alone = agent.alone.map_or_else(String::new, |alone| format!("{alone:.3}"));
        let mut row = vec![agent.name.clone(), agent.samples.to_string(), alone];
        row.extend(answers.iter().map(|answer| format!("{:.3}", answer.agents[k].utility)));
        rows.push(row);
    }
    let mut add = |name: &str, value: &dyn Fn(&Answer) -> String| {
        let mut row = vec![name.to_owned(), String::new(), String::new()];
        row.extend(answers.iter().map(value));
        rows.push(row);
    };
    add("log-welfare", &|answer| format!("{:.3}", answer.log_welfare.0));
    add("kappa >=", &|answer| format!("{:.4}", answer.kappa.lo.0));
    add("everybody >=", &|answer| format!("{:.4}", answer.everybody.lo.0));
    add("verdict", &|answer| answer.verdict.to_string());
    rows
}

/// A sentence per rule, and what stands beside the first, the core's.
fn sentences(answers: &[Answer]) -> Vec<String> {
    let mut lines: Vec<String> = answers
        .iter()
        .map(|answer| format!("{}: {}", title(answer), words::sentence(answer)))
        .collect();
    if let Some(first) = answers.first() {
        let beside = words::beside(first);
        lines.extend(beside.into_iter().map(|line| format!("{}: {line}", title(first))));
    }
    lines
}

/// What appears on the terminal.
pub(crate) fn terminal(folder: &Path, data: &str, answers: &[Answer]) -> String {
    let mut text = text::table(&utilities(answers));
    text.push('\n');
    for sentence in sentences(answers) {
        let _ = writeln!(text, "{sentence}");
    }
    let shown = folder.display();
    let data = if data == "federation.csv" { format!("{shown}/{data}") } else { data.to_owned() };
    let _ = write!(
        text,
        "\nwritten to {shown}/: summary.md, utilities.svg, a predictor and a certificate per rule\n\
         check it: {} verify {shown}/core.certificate.json --data {data}\n",
        program()
    );
    text
}

/// The command as the user called it, so that the next one can be copied.
static CALLED: OnceLock<String> = OnceLock::new();

/// Remembers how the user called the command; the process may be called otherwise.
pub(crate) fn called(program: String) {
    // Whoever called first stays.
    let _ = CALLED.set(program);
}

/// The command as the user called it.
pub(crate) fn program() -> &'static str {
    CALLED.get().map_or("corefed", String::as_str)
}

/// What is written to the run folder.
pub(crate) fn markdown(spec: &Spec, data: &str, answers: &[Answer]) -> String {
    let mut text = format!(
        "# Who gets what, and would anybody leave?\n\n\
         Data `{data}`, model {}, ceiling {}, ball of radius {}, weights {}; the utilitarian rule \
         averages by {}. A utility is the ceiling minus the loss; *alone* is the best an agent could \
         have from a predictor made for it.\n\n",
        spec.model, spec.ceiling, spec.radius, spec.weights, spec.average
    );
    for (k, row) in utilities(answers).iter().enumerate() {
        let cells: Vec<String> = row.iter().map(|cell| escape(cell)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
        if k == 0 {
            let _ = writeln!(text, "|---|{}", "---:|".repeat(row.len() - 1));
        }
    }
    text.push_str("\n![utilities by rule](utilities.svg)\n\n");
    for sentence in sentences(answers) {
        let _ = writeln!(text, "- {}", escape(&sentence));
    }
    for answer in answers {
        let _ = write!(text, "\n## What the verdict on {} rests on\n\n", title(answer));
        let _ = writeln!(
            text,
            "{}, headroom {:.4}, tolerance {}; {} coalition programs{}.\n",
            words::intervals(answer.kappa, answer.everybody),
            answer.headroom.0,
            percent(answer.tolerance),
            answer.search.programs,
            if answer.search.complete { "" } else { " before the time limit" }
        );
        for assumption in &answer.assumptions {
            let _ = writeln!(
                text,
                "- **{}**: {}: {}",
                assumption.status,
                assumption.statement,
                escape(&assumption.detail)
            );
        }
    }
    let _ = write!(
        text,
        "\n## Check it yourself\n\n```sh\ncorefed verify core.certificate.json --data {data}\n```\n"
    );
    text
}

/// Names come from users: nothing in them may act as Markdown or HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '|' | '*' | '_' | '[' | ']' | '\\' => escaped.extend(['\\', c]),
            '\n' | '\r' => escaped.push(' '),
            _ => escaped.push(c),
        }
    }
    escaped
}
