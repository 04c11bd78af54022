//! Rules beside each other: on rows that nobody trained on, over seeds, and with what was tried for them.

use super::{Block, Section, grid};
use crate::html::escape;
use crate::page::Page;

pub(super) fn section(page: &Page) -> Option<Section> {
    let tables = page.compared.as_ref()?;
    let mut blocks = Vec::new();
    // Verdicts, in the main table, are the answer above.
    for part in tables.parts.iter().skip(1) {
        blocks.push(Block::Html(format!("<h3>{}</h3>\n", escape(part.title))));
        let said = part.said.iter().map(|said| format!("<p>{}</p>\n", escape(said)));
        blocks.push(Block::Html(said.collect()));
        let id = format!("comparison-{}", part.name);
        blocks.push(Block::Table(grid(&part.grid, &id, part.title)));
    }
    (!blocks.is_empty()).then_some(Section {
        id: "comparison",
        title: "The rules compared",
        blocks,
    })
}
