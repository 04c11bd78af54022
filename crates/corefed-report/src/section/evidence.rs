//! What is certified, what is estimated, and what was only searched for.

use std::fmt::Write;

use super::{Block, Section};
use crate::evidence::{Evidence, Stated};
use crate::html::escape;
use crate::page::Page;
use crate::table::{Cell, Table};

pub(super) fn section(page: &Page) -> Option<Section> {
    let evidence = page.evidence.as_ref()?;
    let mut blocks = vec![Block::Html(statements(&evidence.statements))];
    if !evidence.held_out.is_empty() {
        blocks.push(Block::Html("<h3>Utilities on held-out rows</h3>\n".to_owned()));
        blocks.push(Block::Html(note(&format!(
            "Estimated. The interval is about the mean of max(0, ceiling − loss), which is bounded where \
             the loss is not; made this way, it holds for an agent {} of the time.",
            level(evidence)
        ))));
        blocks.push(Block::Table(held_out(evidence)));
    }
    if !evidence.paired.is_empty() {
        blocks.push(Block::Html(
            "<h3>The coalition that was found, on held-out rows</h3>\n".to_owned(),
        ));
        blocks.push(Block::Html(note(&format!(
            "Estimated. For every member and row: its share of the rival's utility, less what it has now. The \
             coalition blocks where all bounds are above zero; a claim made this way is true {} of the time.{}",
            level(evidence),
            evidence.conclusion.as_ref().map_or_else(String::new, |said| format!(" {said}"))
        ))));
        blocks.push(Block::Table(paired(evidence)));
    }
    Some(Section { id: "evidence", title: "How sure this is", blocks })
}

/// With all its digits: 99.9 % is not 100 %.
fn level(evidence: &Evidence) -> String {
    let digits = format!("{:.4}", 100.0 * evidence.level);
    format!("{}\u{202f}%", digits.trim_end_matches('0').trim_end_matches('.'))
}

fn note(text: &str) -> String {
    format!("<p class=\"small\">{}</p>\n", escape(text))
}

fn statements(all: &[Stated]) -> String {
    let mut html = String::from("<ul class=\"assumptions worth\">\n");
    for Stated { about, worth, finding, rests_on } in all {
        let (class, sign) = worth.look();
        let found = if finding.is_empty() { String::new() } else { format!(": {finding}") };
        // Writing to a String cannot fail.
        let _ = writeln!(
            html,
            "<li class=\"{class}\"><span class=\"status\"><span aria-hidden=\"true\">{sign}</span> {}</span>\
             <div>{}{}<small>{}</small></div></li>",
            worth.word(),
            escape(about),
            escape(&found),
            escape(rests_on)
        );
    }
    html.push_str("</ul>\n");
    html
}

fn held_out(evidence: &Evidence) -> Table {
    let level = level(evidence);
    let rows = evidence.held_out.iter().map(|line| {
        vec![
            Cell::Text(line.agent.clone()),
            Cell::Whole(line.rows),
            Cell::Number(line.mean),
            Cell::Number(line.interval.0),
            Cell::Number(line.interval.1),
        ]
    });
    Table {
        id: "held-out-utilities".into(),
        caption: format!("Utility of every agent on held-out rows, with {level} intervals"),
        columns: vec![
            "agent".into(),
            "rows".into(),
            "mean utility".into(),
            format!("at least ({level})"),
            format!("at most ({level})"),
        ],
        rows: rows.collect(),
    }
}

fn paired(evidence: &Evidence) -> Table {
    let level = level(evidence);
    let rows = evidence.paired.iter().map(|line| {
        vec![
            Cell::Text(line.agent.clone()),
            Cell::Whole(line.rows),
            Cell::Number(line.mean),
            Cell::Number(line.at_least),
        ]
    });
    Table {
        id: "paired-differences".into(),
        caption: format!(
            "What members of the coalition gain on held-out rows, with {level} bounds"
        ),
        columns: vec![
            "member".into(),
            "rows".into(),
            "mean difference".into(),
            format!("at least ({level})"),
        ],
        rows: rows.collect(),
    }
}
