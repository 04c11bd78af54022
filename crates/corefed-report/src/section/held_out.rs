//! Every model on rows that nobody trained on, beside every agent's own.

use corefed_documents::{HeldOutAgent, HeldOutAudit, OnHeldOut};

use super::Block;
use crate::html::escape;
use crate::page::{Model, Page};
use crate::summary::held_out::quality;
use crate::table::{Cell, Table};

/// Losses and qualities for reading, and a table with everything to save.
pub(super) fn blocks(page: &Page) -> Vec<Block> {
    let known: Vec<(&Model, &HeldOutAudit)> =
        page.models.iter().filter_map(|model| Some((model, model.held_out.as_ref()?))).collect();
    let Some((_, first)) = known.first() else { return Vec::new() };
    // A comparison trains own models once, beside one of its rules.
    let has_own = |own: &&HeldOutAudit| own.agents.iter().any(|agent| agent.alone.is_some());
    let alone = known.iter().map(|(_, own)| *own).find(has_own);
    let judged = if page.stay.is_some() {
        "Which differences are more than noise, <a href=\"#stay\">the first section</a> says."
    } else {
        "Which differences are more than noise, <code>corefed stay</code> says."
    };
    let own = if alone.is_some() {
        "<i>Alone</i> is the model that an agent fits to its own rows."
    } else {
        ""
    };
    let mean = if page.recommended.is_some() { ", in the mean over seeds" } else { "" };
    let note = format!("Loss, and {} in brackets{mean}. {own} {judged}", escape(&first.quality));
    vec![
        Block::Html(format!(
            "<h3>On rows that nobody trained on</h3>\n<p class=\"note\">{note}</p>\n"
        )),
        Block::Table(table(&known, alone)),
    ]
}

fn table(known: &[(&Model, &HeldOutAudit)], alone: Option<&HeldOutAudit>) -> Table {
    let (_, first) = known[0];
    let shown = |found: Option<OnHeldOut>| {
        found.map_or(Cell::Missing, |found| {
            let quality = found.quality.map(|value| quality(&first.quality, value));
            let quality = quality.map_or_else(String::new, |quality| format!(" ({quality})"));
            Cell::Figures(format!("{:.4}{quality}", found.loss))
        })
    };
    // What is compared stands side by side, also on a phone: the model the page is about, and alone.
    let mut columns = vec!["agent".to_owned()];
    columns.extend(known.iter().map(|(model, _)| model.name.clone()));
    if alone.is_some() {
        columns.insert(2, "alone".to_owned());
    }
    columns.push("rows".to_owned());
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for (k, agent) in first.agents.iter().enumerate() {
        let mut row = vec![Cell::Text(agent.name.clone())];
        let model =
            |own: &HeldOutAudit| own.agents.get(k).and_then(|agent: &HeldOutAgent| agent.model);
        row.extend(known.iter().map(|(_, own)| shown(model(own))));
        if let Some(own) = alone {
            row.insert(2, shown(own.agents.get(k).and_then(|agent| agent.alone)));
        }
        row.push(Cell::Whole(agent.rows));
        rows.push(row);
    }
    Table {
        id: "held-out".into(),
        caption: format!("Loss ({}) on held-out rows under every model", first.quality),
        columns,
        rows,
    }
}
