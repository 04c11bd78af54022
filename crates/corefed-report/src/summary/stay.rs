//! `stay.json` in words: first one sentence that answers, then one line per agent, then the rest.

mod agents;
mod contributions;
mod leaving;
mod questions;

use corefed_documents::Stay;

use self::agents::agents;
use self::contributions::{contributions, partitions};
use self::leaving::{answer, failed, notes, repeats};
use self::questions::{price, what_if};
use crate::Grid;

/// A part of the answer: sentences, and perhaps a table.
#[derive(Default)]
struct Section {
    title: String,
    sentences: Vec<String>,
    table: Option<Grid>,
}

fn sections(stay: &Stay) -> Vec<Section> {
    let mut sections = vec![agents(stay)];
    sections.extend(failed(stay));
    sections.extend(partitions(stay));
    sections.push(contributions(stay));
    sections.extend(stay.what_if.iter().map(|question| what_if(stay, question)));
    sections.extend(price(stay));
    sections.extend(repeats(stay));
    sections.push(notes(stay));
    sections
}

/// The answer in one sentence.
#[must_use]
pub fn sentence(stay: &Stay) -> String {
    answer(stay)
}

/// For a terminal.
#[must_use]
pub fn text(stay: &Stay) -> String {
    let mut text = answer(stay) + "\n";
    for Section { title, sentences, table } in sections(stay) {
        text.push('\n');
        if !title.is_empty() {
            text.push_str(&format!("{title}\n"));
        }
        if let Some(table) = table {
            text.push_str(&table.to_text());
        }
        for sentence in sentences {
            text.push_str(&format!("{sentence}\n"));
        }
    }
    text
}

/// For `stay.md`.
#[must_use]
pub fn markdown(stay: &Stay) -> String {
    let mut text =
        format!("# Is it worth staying?\n\n**{}**\n", crate::escape_markdown(&answer(stay)));
    for Section { title, sentences, table } in sections(stay) {
        if !title.is_empty() {
            text.push_str(&format!("\n## {}\n", crate::escape_markdown(&title)));
        }
        if let Some(table) = table {
            text.push_str(&format!("\n{}", table.to_markdown()));
        }
        for sentence in sentences {
            text.push_str(&format!("\n{}\n", crate::escape_markdown(&sentence)));
        }
    }
    text
}

/// What agents are called together.
fn noun(stay: &Stay) -> String {
    crate::verdict::plural(&stay.models.owner)
}

/// `90 %`.
fn level(stay: &Stay) -> String {
    crate::words::percent(stay.claims.level)
}

/// Four digits behind the point, or as many as matter.
fn number(value: f64) -> String {
    crate::Cell::number(value, 4).shown
}
