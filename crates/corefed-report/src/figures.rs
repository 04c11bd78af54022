//! The charts of a page as pictures of their own, for papers.

use crate::page::Page;
use crate::section::{Block, sections};

/// Classes with the colours of paper. Latin Modern and its relatives come first: they are what LaTeX
/// sets text in.
const STYLE: &str = include_str!("../assets/figure.css");

/// A chart that stands alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Name of its file, without ending.
    pub name: String,
    /// The picture.
    pub svg: String,
}

/// Every chart of the page, in reading order.
#[must_use]
pub fn figures(page: &Page) -> Vec<Figure> {
    let blocks = sections(page).into_iter().flat_map(|section| section.blocks);
    let charts = blocks.filter_map(|block| match block {
        Block::Chart(chart) => Some(chart),
        Block::Html(_) | Block::Table(_) | Block::Folded(_) => None,
    });
    charts
        .map(|chart| {
            let name = chart.id.strip_prefix("fig-").unwrap_or(&chart.id).to_owned();
            Figure { name, svg: stand_alone(&chart.wide) }
        })
        .collect()
}

/// A chart of a page with everything that it needs outside of it.
pub(crate) fn stand_alone(chart: &str) -> String {
    // The style follows the tag that it applies to.
    let (tag, rest) = chart.split_once('>').unwrap_or((chart, ""));
    let tag = tag.replacen("<svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"", 1);
    format!("{tag}>\n<style>\n{STYLE}</style>{rest}\n")
}
