//! The sections of the page, in reading order. Each is there when its data are.

mod agents;
mod answer;
mod answered;
mod assumptions;
mod ceiling;
mod compared;
mod contributions;
mod data;
mod evidence;
mod explorer;
mod held_out;
mod provenance;
mod stay;
mod sweep;
mod sweep_answer;
mod training;

use crate::chart::{NARROW, WIDE};
use crate::grid::Grid;
use crate::html::escape;
use crate::page::Page;
use crate::table::{Cell, Table};

/// A heading and what stands below it.
pub(crate) struct Section {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) blocks: Vec<Block>,
}

/// A piece of a section.
pub(crate) enum Block {
    Html(String),
    Chart(Box<Chart>),
    Table(Table),
    /// A table that most readers can do without.
    Folded(Table),
}

/// A chart with its table.
pub(crate) struct Chart {
    pub(crate) id: String,
    pub(crate) title: String,
    /// How to read it; plain text.
    pub(crate) note: String,
    pub(crate) wide: String,
    pub(crate) narrow: String,
    pub(crate) table: Option<Table>,
}

impl Chart {
    pub(crate) fn block(
        id: impl Into<String>,
        title: impl Into<String>,
        note: impl Into<String>,
        draw: impl Fn(f64) -> String,
        table: Option<Table>,
    ) -> Block {
        Block::Chart(Box::new(Self {
            id: id.into(),
            title: title.into(),
            note: note.into(),
            wide: draw(WIDE),
            narrow: draw(NARROW),
            table,
        }))
    }

    fn html(&self) -> String {
        let note = if self.note.is_empty() {
            String::new()
        } else {
            format!("<span class=\"note\">{}</span>", escape(&self.note))
        };
        format!(
            "<figure id=\"{}\"><figcaption><span class=\"t\">{}</span>{note}</figcaption>\n\
             <div class=\"wide\">{}</div>\n<div class=\"narrow\">{}</div>\n{}</figure>\n",
            escape(&self.id),
            escape(&self.title),
            self.wide,
            self.narrow,
            self.table.as_ref().map_or_else(String::new, Table::folded)
        )
    }
}

impl Block {
    pub(crate) fn table(&self) -> Option<&Table> {
        match self {
            Self::Html(_) => None,
            Self::Chart(chart) => chart.table.as_ref(),
            Self::Table(table) | Self::Folded(table) => Some(table),
        }
    }

    pub(crate) fn html(&self) -> String {
        match self {
            Self::Html(html) => html.clone(),
            Self::Chart(chart) => chart.html(),
            Self::Folded(table) => table.folded(),
            Self::Table(table) => format!(
                "{}<p class=\"save\" data-table=\"{}\"></p>\n",
                table.html(),
                escape(&table.id)
            ),
        }
    }
}

/// A part of the answer on staying: its heading, its table and what it says.
fn told(part: &crate::summary::stay::Section, id: &str) -> Vec<Block> {
    let mut blocks = vec![Block::Html(format!("<h3>{}</h3>\n", escape(&part.title)))];
    blocks.push(Block::Html(paragraphs(&part.sentences)));
    blocks.extend(part.table.as_ref().map(|table| Block::Table(grid(table, id, &part.title))));
    blocks
}

/// Sentences, each a paragraph.
fn paragraphs(said: &[String]) -> String {
    said.iter().fold(String::new(), |html, said| html + "<p>" + &escape(said) + "</p>\n")
}

/// A table of results as a table of the page.
fn grid(grid: &Grid, id: &str, caption: &str) -> Table {
    let cell = |cell: &crate::Cell| {
        let numeric = cell.shown.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
        let shown = cell.shown.clone();
        if numeric { Cell::Figures(shown) } else { Cell::Text(shown) }
    };
    let row = |row: &Vec<crate::Cell>| row.iter().map(cell).collect::<Vec<Cell>>();
    Table {
        id: id.to_owned(),
        caption: caption.to_owned(),
        columns: grid.header.clone(),
        rows: grid.rows.iter().map(row).collect(),
    }
}

/// All sections that have something to show.
pub(crate) fn sections(page: &Page) -> Vec<Section> {
    let all = [
        stay::section(page),
        answer::section(page),
        compared::section(page),
        evidence::section(page),
        agents::section(page),
        explorer::section(page),
        contributions::brought(page),
        contributions::priced(page),
        ceiling::section(page),
        sweep::section(page),
        training::section(page),
        data::section(page),
        provenance::section(page),
    ];
    all.into_iter().flatten().collect()
}
