//! Whose rows: labels, sizes, and what was done to them.

use std::fmt::Write;

use super::{Block, Chart, Section};
use crate::chart::Heat;
use crate::html::escape;
use crate::page::{Labels, Page};
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
        let _ = writeln!(html, "<p>Data: <code>{}</code>.</p>", escape(&data.name));
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
    Some(Section { id: "data", title: "The data", blocks })
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
