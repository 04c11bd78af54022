//! Which rule: a recommendation, a table of rules and agents, and which differences are noise.

use corefed_core::Verdict;

use super::answer::mark;
use super::{Block, Section, grid, paragraphs};
use crate::html::escape;
use crate::page::Page;
use crate::sentence::class;
use crate::table::{Cell, Table};

/// More agents than this have no column each.
const MOST_COLUMNS: usize = 12;

pub(super) fn section(page: &Page) -> Option<Section> {
    let tables = page.compared.as_ref()?;
    let mut blocks = Vec::new();
    if let Some(found) = &page.recommended {
        let (verdict, word) = if found.clear {
            (Verdict::Stable, "Recommended")
        } else {
            (Verdict::Undecided, "Within noise")
        };
        blocks.push(Block::Html(format!(
            "<div class=\"verdict {}\"><p class=\"badge\">{} {word}</p>\n<p class=\"headline\">{}</p>\n\
             <p class=\"lead\">{}</p></div>\n",
            class(verdict),
            mark(verdict),
            escape(&found.headline),
            escape(&found.said.join(" "))
        )));
    }
    if !page.models.is_empty() {
        blocks.push(Block::Table(by_agent(page)));
    }
    for part in tables.parts.iter().skip(1) {
        let id = format!("comparison-{}", part.name);
        let table = grid(&part.grid, &id, part.title);
        blocks.push(Block::Html(format!("<h3>{}</h3>\n", escape(part.title))));
        let said = paragraphs(&part.said);
        // What the differences come to is said above.
        let long = part.name == "paired";
        let said = if long {
            format!("<details><summary>Rule by rule</summary>\n{said}</details>\n")
        } else {
            said
        };
        blocks.push(Block::Html(said));
        blocks.push(if part.aside || long { Block::Folded(table) } else { Block::Table(table) });
    }
    (!blocks.is_empty()).then_some(Section { id: "comparison", title: "Which rule?", blocks })
}

/// Mean utilities over seeds, rule by agent.
fn by_agent(page: &Page) -> Table {
    let listed = page.agents.len() <= MOST_COLUMNS;
    let mut columns = vec!["rule".to_owned(), "verdict".to_owned(), "worst off".to_owned()];
    if listed {
        columns.extend(page.agents.iter().map(|agent| agent.name.clone()));
    }
    let verdicts = page.compared.iter().flat_map(|tables| &tables.parts[0].grid.rows);
    let verdict = |name: &str| {
        let mut rows = verdicts.clone().filter(|row| row.first().is_some_and(|c| c.shown == name));
        let row = rows.next()?;
        row.last().map(|cell| cell.shown.clone())
    };
    let rows = page.models.iter().map(|model| {
        let told = verdict(&model.name).unwrap_or_else(|| model.verdict.to_string());
        let least = model.utilities.iter().flatten().copied().reduce(f64::min);
        let mut row = vec![Cell::Text(model.name.clone()), Cell::Text(told), Cell::of(least)];
        if listed {
            row.extend(model.utilities.iter().map(|utility| Cell::of(*utility)));
        }
        row
    });
    Table {
        id: "rules-by-agent".into(),
        caption:
            "Utility of every agent under every rule, on training rows, in the mean over seeds"
                .into(),
        columns,
        rows: rows.collect(),
    }
}
