//! An exact run in words: who gets what under every rule, and would anybody leave?

use std::fmt::Write;

use corefed_core::{shell_word, shown};
use corefed_documents::AuditDocument;
use corefed_spec::Spec;

use super::assumptions;
use super::held_out::{self, Shown};
use crate::markdown::{self, escape};
use crate::plain::plain;
use crate::verdict;
use crate::words::{percent, title};

/// One row per agent, one column per rule.
#[must_use]
pub fn utilities(answers: &[AuditDocument]) -> Vec<Vec<String>> {
    let mut header = vec!["utility".to_owned(), "samples".to_owned(), "alone".to_owned()];
    header.extend(answers.iter().map(|answer| title(answer.rule.as_deref())));
    let mut rows = vec![header];
    let Some(first) = answers.first() else { return rows };
    for (k, agent) in first.agents.iter().enumerate() {
        let alone = agent.alone.map_or_else(String::new, |alone| format!("{alone:.3}"));
        let samples = agent.samples.map_or_else(String::new, |samples| samples.to_string());
        let mut row = vec![agent.name.clone(), samples, alone];
        row.extend(answers.iter().map(|answer| format!("{:.3}", answer.agents[k].utility)));
        rows.push(row);
    }
    let mut add = |name: &str, value: &dyn Fn(&AuditDocument) -> String| {
        let mut row = vec![name.to_owned(), String::new(), String::new()];
        row.extend(answers.iter().map(value));
        rows.push(row);
    };
    add("log-welfare", &|answer| {
        answer.log_welfare.map_or_else(String::new, |welfare| format!("{:.3}", welfare.0))
    });
    add("kappa >=", &|answer| format!("{:.4}", answer.kappa.lo.0));
    add("everybody >=", &|answer| format!("{:.4}", answer.everybody.lo.0));
    add("verdict", &|answer| answer.verdict.to_string());
    rows
}

/// A sentence per rule, and what stands beside the first, the core's.
#[must_use]
pub fn sentences(answers: &[AuditDocument]) -> Vec<String> {
    let named =
        |answer: &AuditDocument, said: &str| format!("{}: {said}", title(answer.rule.as_deref()));
    let mut lines: Vec<String> =
        answers.iter().map(|answer| named(answer, &verdict::sentence(answer))).collect();
    if let Some(first) = answers.first() {
        let aside = held_out::sentence(first, &verdict::noun(first));
        lines.extend(aside.map(|line| named(first, &line)));
        lines.extend(verdict::beside(first).iter().map(|line| named(first, line)));
    }
    lines
}

/// What is written to the run folder.
#[must_use]
pub fn markdown(spec: &Spec, data: &str, answers: &[AuditDocument]) -> String {
    let answers: &[AuditDocument] =
        &answers.iter().map(|audit| plain(audit).into_owned()).collect::<Vec<_>>();
    let shown_data = shown(data);
    let mut text = format!(
        "# Who gets what, and would anybody leave?\n\n\
         Data `{shown_data}`, model {}, ceiling {}, ball of radius {}, weights {}; the utilitarian rule \
         averages by {}. A utility is the ceiling minus the loss; *alone* is the best an agent could \
         have from a predictor made for it.\n\n",
        spec.model, spec.ceiling, spec.radius, spec.weights, spec.average
    );
    text.push_str(&markdown::table(&utilities(answers)));
    text.push_str("\n![utilities by rule](utilities.svg)\n\n");
    for shown in [Shown::Loss, Shown::Utility] {
        if let Some(rows) = held_out::table(answers, shown) {
            text.push_str(&markdown::table(&rows));
            text.push('\n');
        }
    }
    // Writing to a String cannot fail.
    let read = answers.first().map_or(&[][..], |first| &first.notes);
    for sentence in sentences(answers).iter().chain(read) {
        let _ = writeln!(text, "- {}", escape(sentence));
    }
    for answer in answers {
        for warning in &answer.warnings {
            let warning = escape(warning);
            let _ = writeln!(text, "- **{}**: {warning}", title(answer.rule.as_deref()));
        }
    }
    for answer in answers {
        let title = title(answer.rule.as_deref());
        let _ = write!(text, "\n## What the verdict on {title} rests on\n\n");
        let search = answer.search.as_ref();
        let _ = writeln!(
            text,
            "{}, headroom {:.4}, tolerance {}; {} coalition programs{}.\n",
            verdict::intervals(answer.kappa, answer.everybody),
            answer.headroom.map_or(f64::NAN, |headroom| headroom.0),
            percent(answer.tolerance),
            search.map_or(0, |search| search.programs),
            if search.is_none_or(|search| search.complete) { "" } else { " before the time limit" }
        );
        text.push_str(&assumptions(answer));
    }
    let _ = write!(
        text,
        "\n## Check it yourself\n\n```sh\ncorefed verify core.certificate.json --data {}\n```\n",
        shell_word(data)
    );
    text
}
