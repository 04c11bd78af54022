//! All that a comparison says, in tables and sentences.

use corefed_documents::Comparison;

use super::comparison::comparison;
use super::paired::{differences, readings};
use super::recommend::recommended;
use super::rows::both_rows;
use super::tuned::{chosen, how_tuned, tried};
use crate::{Grid, TablePart, Tables};

/// The paper's table, and what a comparison knows besides; `rules` and `reference` are those of [`comparison`].
#[must_use]
pub fn compared(document: &Comparison, rules: &[&str], reference: Option<&str>) -> Tables {
    let mut tables = Tables::from(comparison(document, rules, reference));
    let found = recommended(document, rules);
    let found = found.map(|found| std::iter::once(found.headline).chain(found.said));
    tables.parts[0].said = found.into_iter().flatten().chain(exploded(document)).collect();
    let mut add = |name, title, said, grid: Option<Grid>| {
        let aside = name == "tried";
        tables.parts.extend(grid.map(|grid| TablePart { name, title, aside, said, grid }));
    };
    add("rows", "Training rows and held-out rows", Vec::new(), both_rows(document, rules));
    let paired = document.paired.as_ref().and_then(differences);
    add("paired", "Differences over seeds", readings(document), paired);
    add("chosen", "Settings that were chosen", how_tuned(document), chosen(document));
    add("tried", "Settings that were tried", Vec::new(), tried(document));
    tables
}

fn exploded(document: &Comparison) -> Vec<String> {
    let lost = document.exploded.iter();
    lost.map(|lost| format!("No model of {}, seed {}: {}", lost.rule, lost.seed, lost.failure))
        .collect()
}
