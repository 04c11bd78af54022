//! What each agent brings, and who should train with whom.

use std::fmt::Write;

use corefed_documents::{Estimate, PartitionLines, Stay};

use super::{Section, level, noun, number};
use crate::words::percent;
use crate::{Cell, Grid};

/// Leave-one-out, Shapley, Banzhaf and the least core.
pub(crate) fn contributions(stay: &Stay) -> Section {
    let found = &stay.contributions;
    let plain = |value: Option<f64>| value.map_or_else(Cell::missing, |v| Cell::number(v, 4));
    let bare = |value: Option<Estimate>| plain(value.map(|estimate| estimate.value));
    let estimate = |value: Option<Estimate>| match value {
        None => Cell::missing(),
        Some(Estimate { value, interval: None }) => Cell::number(value, 4),
        Some(Estimate { value, interval: Some((lo, hi)) }) => {
            Cell::text(format!("{} [{}, {}]", number(value), number(lo), number(hi)))
        }
    };
    // Intervals of all four would be wider than a terminal; the document has them.
    let row = |line: &corefed_documents::ContributionLine| {
        vec![
            Cell::text(&line.name),
            bare(line.saves),
            estimate(line.leave_one_out),
            estimate(line.shapley),
            bare(line.banzhaf),
            plain(line.payment),
        ]
    };
    let level = level(stay);
    let header = [
        String::new(),
        "saves itself".to_owned(),
        format!("missed without [{level}]"),
        format!("Shapley [{level}]"),
        "Banzhaf".to_owned(),
        "least core".to_owned(),
    ];
    let table = Grid { header: header.to_vec(), rows: found.agents.iter().map(row).collect() };
    let mut sentences = vec![format!("A group is worth {}.", found.value)];
    if let Some(everybody) = found.everybody {
        sentences.push(if everybody >= 0.0 {
            format!("Everybody together saves {}.", number(everybody))
        } else {
            format!("Everybody together loses {} over training alone.", number(-everybody))
        });
    }
    match found.excess {
        Some(excess) if excess > 0.0 => sentences.push(format!(
            "No payments keep every group: whatever is paid, some group could have {} more on its own.",
            number(excess)
        )),
        Some(excess) => sentences.push(format!(
            "The payments of the least core keep every group, with {} to spare.",
            number(-excess)
        )),
        None => {}
    }
    if let Some(open) = &found.open {
        sentences.push(format!("Missing: {open}."));
    }
    sentences.push(noise(stay));
    Section { title: "What each brings".to_owned(), sentences, table: Some(table) }
}

/// What intervals are for, and what has none.
fn noise(stay: &Stay) -> String {
    let drawn = stay.contributions.excess.is_none();
    let known = stay
        .contributions
        .agents
        .iter()
        .any(|line| line.leave_one_out.is_some_and(|missed| missed.interval.is_some()));
    if !known {
        return "These are estimates from the held-out rows, too few of them for intervals."
            .to_owned();
    }
    let mut said = if drawn {
        "Intervals of what is missed are for the noise of held-out rows, those of Shapley and Banzhaf values for \
         the orders that were drawn."
            .to_owned()
    } else {
        "Intervals are for the noise of held-out rows; payments have none.".to_owned()
    };
    let few: Vec<String> =
        stay.agents.iter().filter(|agent| agent.few).map(|agent| agent.name.clone()).collect();
    if !few.is_empty() {
        let (support, have) = (stay.claims.support, if few.len() == 1 { "has" } else { "have" });
        let _ = write!(
            said,
            " {} {have} fewer than {support} of them, so that intervals may be too narrow.",
            few.join(", ")
        );
    }
    said
}

/// Partitions that no group would leave.
pub(super) fn partitions(stay: &Stay) -> Option<Section> {
    let found: &PartitionLines = stay.partitions.as_ref()?;
    let mut sentences = Vec::new();
    if let Some(best) = found.stable.first() {
        let groups: Vec<String> = best.iter().map(|group| group.join(", ")).collect();
        let other = match found.count {
            1 => "the only way".to_owned(),
            count => format!("one of {count} ways, the one with the least loss"),
        };
        sentences.push(format!(
            "As measured, {other} to divide the {} that no group would leave: {}.",
            noun(stay),
            groups.join(" | ")
        ));
    } else {
        sentences.push(format!(
            "As measured, however the {} are divided, some group would rather be among itself.",
            noun(stay)
        ));
    }
    let margin = percent(stay.claims.margin);
    let together = if found.everybody_within_margin { "is" } else { "is not" };
    sentences.push(format!(
        "If gains up to {margin} count as ties, there are {} such ways, and everybody together {together} one of them. \
         These are comparisons of means, without regard to noise.",
        found.within_margin
    ));
    Some(Section { title: "Who should train with whom".to_owned(), sentences, table: None })
}
