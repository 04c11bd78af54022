//! The sections of the page, in reading order. Each is there when its data are.

mod agents;
mod answer;
mod ceiling;
mod compared;
mod data;
mod evidence;
mod explorer;
mod provenance;
mod training;

use crate::chart::{NARROW, WIDE};
use crate::html::escape;
use crate::page::Page;
use crate::table::Table;

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
            Self::Table(table) => Some(table),
        }
    }

    pub(crate) fn html(&self) -> String {
        match self {
            Self::Html(html) => html.clone(),
            Self::Chart(chart) => chart.html(),
            Self::Table(table) => format!(
                "{}<p class=\"save\" data-table=\"{}\"></p>\n",
                table.html(),
                escape(&table.id)
            ),
        }
    }
}

/// All sections that have something to show.
pub(crate) fn sections(page: &Page) -> Vec<Section> {
    let all = [
        answer::section(page),
        compared::section(page),
        evidence::section(page),
        agents::section(page),
        explorer::section(page),
        ceiling::section(page),
        training::section(page),
        data::section(page),
        provenance::section(page),
    ];
    all.into_iter().flatten().collect()
}
