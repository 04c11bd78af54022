//! Rules beside each other: on rows that nobody trained on, over seeds, and with what was tried for them.

use super::{Block, Section};
use crate::html::escape;
use crate::page::Page;
use crate::several_tables::TablePart;
use crate::table::{Cell, Table};

pub(super) fn section(page: &Page) -> Option<Section> {
    let tables = page.compared.as_ref()?;
    let mut blocks = Vec::new();
    // Verdicts, in the main table, are the answer above.
    for part in tables.parts.iter().skip(1) {
        blocks.push(Block::Html(format!("<h3>{}</h3>\n", escape(part.title))));
        let said = part.said.iter().map(|said| format!("<p>{}</p>\n", escape(said)));
        blocks.push(Block::Html(said.collect()));
        blocks.push(Block::Table(table(part)));
    }
    (!blocks.is_empty()).then_some(Section {
        id: "comparison",
        title: "The rules compared",
        blocks,
    })
}

fn table(part: &TablePart) -> Table {
    let row =
        |row: &Vec<crate::Cell>| row.iter().map(|cell| Cell::Text(cell.shown.clone())).collect();
    Table {
        id: format!("comparison-{}", part.name),
        caption: part.title.to_owned(),
        columns: part.grid.header.clone(),
        rows: part.grid.rows.iter().map(row).collect(),
    }
}
