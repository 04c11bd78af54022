//! Whose rows: labels, sizes, and what was done to them.

use std::fmt::Write;

use super::{Block, Chart, Section, answered};
use crate::chart::Heat;
use crate::html::{escape, percent, whole};
use crate::page::{DataView, Labels, Page};
use crate::table::{Cell, Table};

pub(super) fn section(page: &Page) -> Option<Section> {
    let sized = page.agents.iter().any(|agent| agent.samples.is_some());
    if page.data.is_none() && !sized {
        return None;
    }
    let data = page.data.clone().unwrap_or_default();
    let mut html = String::new();
    if !data.name.is_empty() {
        // Writing to a String cannot fail.
        let _ =
            writeln!(html, "<p><code>{}</code>{}.</p>", escape(&data.name), counted(page, &data));
    }
    if !data.notes.is_empty() {
        html.push_str("<ul>\n");
        for note in &data.notes {
            let _ = writeln!(html, "<li>{}</li>", escape(note));
        }
        html.push_str("</ul>\n");
    }
    let mut blocks = vec![Block::Html(html)];
    if sized || data.labels.is_some() {
        blocks.push(chart(page, &data.labels.unwrap_or_default()));
    }
    blocks.extend(data.answered.iter().flat_map(answered::blocks));
    Some(Section { id: "data", title: "The data", blocks })
}

/// Rows in all, columns and holes, as far as they are known; for the end of a sentence.
fn counted(page: &Page, data: &DataView) -> String {
    let mut parts = Vec::new();
    let rows: Option<usize> = page.agents.iter().map(|agent| agent.samples).sum();
    parts.extend(rows.map(|rows| {
        let aside: usize = page
            .models
            .first()
            .and_then(|model| model.held_out.as_ref())
            .map_or(0, |found| found.agents.iter().map(|agent| agent.rows).sum());
        let held_out =
            if aside > 0 { format!(" and {} held out", whole(aside)) } else { String::new() };
        format!("{} rows to train on{held_out}", whole(rows))
    }));
    parts.extend(data.features.map(|count| format!("{} columns to predict from", whole(count))));
    parts.extend(data.missing.map(|part| match part {
        0.0 => "no empty cells".to_owned(),
        part => format!("{} of their cells empty", percent(part)),
    }));
    if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) }
}

fn chart(page: &Page, labels: &Labels) -> Block {
    let samples: Vec<usize> = (0..page.agents.len())
        .map(|k| {
            let counted = labels.counts.get(k).map(|counts| counts.iter().sum());
            page.agents[k].samples.or(counted).unwrap_or_default()
        })
        .collect();
    let classes = !labels.classes.is_empty();
    let heat = Heat {
        label: if classes {
            "Share of every label among the rows of every agent".to_owned()
        } else {
            "Rows of every agent".to_owned()
        },
        agents: page.agents.iter().map(|agent| agent.name.as_str()).collect(),
        samples: samples.clone(),
        classes: &labels.classes,
        counts: &labels.counts,
    };
    let mut columns = vec!["agent".to_owned(), "rows".to_owned()];
    columns.extend(labels.classes.iter().cloned());
    let rows = page.agents.iter().enumerate().map(|(k, agent)| {
        let mut row = vec![Cell::Text(agent.name.clone()), Cell::Whole(samples[k])];
        row.extend(labels.counts.get(k).into_iter().flatten().map(|count| Cell::Whole(*count)));
        row
    });
    let table = Table {
        id: "data-by-agent".into(),
        caption: "Rows of every agent by label".into(),
        columns,
        rows: rows.collect(),
    };
    let mut note = String::new();
    if classes {
        note.push_str("Darker where the label makes up more of the agent's own rows.");
    }
    if heat.hidden() > 0 {
        let _ = write!(note, " {} further agents are in the table.", heat.hidden());
    }
    let title = if classes { "Labels and sizes" } else { "Sizes" };
    Chart::block("fig-data", title, note, |width| heat.draw(width), Some(table))
}
