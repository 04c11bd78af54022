//! What if somebody left or came, and what fairness costs.

use corefed_documents::{PriceLine, Stay, WhatIf, WhatIfLine, WhatIfQuestion};

use super::agents::{measured, said};
use super::{Section, level};
use crate::{Cell, Grid};

/// One question.
pub(super) fn what_if(stay: &Stay, what_if: &WhatIf) -> Section {
    let about = what_if.about.join(", ");
    let (title, before, after) = match what_if.question {
        WhatIfQuestion::Without => (format!("Without {about}"), "with all", "without"),
        WhatIfQuestion::With => (format!("With {about} as a new partner"), "before", "with all"),
        WhatIfQuestion::Expel => (format!("If {about} were expelled"), "with all", "afterwards"),
    };
    let better = ["better", "worse"];
    let row = |line: &WhatIfLine| {
        let name = if line.about { format!("{} (itself)", line.name) } else { line.name.clone() };
        vec![
            Cell::text(name),
            Cell::text(measured(stay, line.before)),
            Cell::text(measured(stay, line.after)),
            Cell::text(said(line.gain, better)),
        ]
    };
    let header = vec![String::new(), before.to_owned(), after.to_owned(), interval(stay)];
    let table = Grid { header, rows: what_if.lines.iter().map(row).collect() };
    let sentences = what_if.failed.iter().map(|why| format!("Cannot be answered in full: {why}."));
    Section { title, sentences: sentences.collect(), table: Some(table) }
}

/// The fair rule beside plain averaging.
pub(crate) fn price(stay: &Stay) -> Option<Section> {
    let Some(found) = &stay.price else {
        let why = stay.no_price.as_ref()?;
        let sentences = vec![format!("Not compared: {why}.")];
        return Some(Section {
            title: "What fairness costs and gives".to_owned(),
            sentences,
            table: None,
        });
    };
    let row = |line: &PriceLine| {
        vec![
            Cell::text(&line.name),
            Cell::text(measured(stay, line.plain)),
            Cell::text(measured(stay, line.fair)),
            Cell::text(said(line.gain, ["fairness gives", "fairness costs"])),
        ]
    };
    let header = vec![String::new(), found.plain.clone(), found.fair.clone(), interval(stay)];
    let title = format!("What fairness costs and gives: {} beside {}", found.fair, found.plain);
    let table = Grid { header, rows: found.agents.iter().map(row).collect() };
    Some(Section { title, sentences: Vec::new(), table: Some(table) })
}

fn interval(stay: &Stay) -> String {
    format!("difference [{}]", level(stay))
}
