//! The tables of an experiment, with what stands behind each column.

use std::fmt::Write;

use crate::both_rows::{both_rows, spread};
use crate::judge::Row;
use crate::paired::differences;
use crate::reading;
use crate::results::Results;
use corefed_report::{Cell, Grid, tables};

/// Beyond this many agents, utilities do not get a column each.
const MOST_COLUMNS: usize = 10;

/// `README.md` of the experiment.
pub(crate) fn document(results: &Results<'_>) -> String {
    let experiment = results.experiment;
    let mut text = format!("# {}\n\n", experiment.title);
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}\n", setting(results));
    for (k, &ceiling) in experiment.ceilings.iter().enumerate() {
        let note = if k == 0 { ", as printed" } else { "" };
        let _ = writeln!(text, "## Ceiling {ceiling}{note}\n");
        let _ = writeln!(text, "{}", main_table(results, ceiling).to_markdown());
        let _ = writeln!(text, "{}", both_rows(results, ceiling).to_markdown());
        let _ = writeln!(text, "{}", held_out_table(results, ceiling).to_markdown());
        if let Some(grid) = tables::differences(&differences(results, ceiling)) {
            let _ = writeln!(
                text,
                "Every rule less FedAvg of the same seed:\n\n{}",
                grid.to_markdown()
            );
        }
    }
    let _ = writeln!(text, "## The paper's numbers\n");
    let _ = writeln!(text, "{}", printed_table(results).to_markdown());
    if !results.exploded.is_empty() {
        let _ = writeln!(text, "## Trainings that exploded\n");
        for lost in &results.exploded {
            let _ = writeln!(text, "- {}, seed {}: {}", lost.training, lost.seed, lost.failure);
        }
        text.push('\n');
    }
    let _ = writeln!(text, "## Reading\n\n{}", reading::reading(results));
    let _ = writeln!(text, "## What stands behind each column\n\n{}", reading::columns(results));
    text
}

fn setting(results: &Results<'_>) -> String {
    reading::setting(results.experiment, results.spec, results.agents.len(), &results.device)
}

/// Utilities on training rows, and what is known of coalitions.
pub(crate) fn main_table(results: &Results<'_>, ceiling: f64) -> Grid {
    let listed = results.agents.len() <= MOST_COLUMNS;
    let mut header = vec!["rule".to_owned()];
    header.extend(results.agents.iter().filter(|_| listed).map(|name| format!("u({name})")));
    let rest =
        ["average", "product", "sum of ratios", "kappa >=", "witness", "kappa <=", "verdict"];
    header.extend(rest.map(str::to_owned));
    header.push("test accuracy".to_owned());
    let columns = header.len();
    let rows = results.rules().into_iter().map(|rule| {
        let own = results.of(rule, ceiling);
        let over = |value: &dyn Fn(&Row) -> f64| spread(own.iter().map(|row| value(row)));
        let mut row = vec![Cell::text(rule)];
        if own.is_empty() {
            row.push(Cell::text("exploded"));
            row.resize(columns, Cell::missing());
            return row;
        }
        if listed {
            row.extend((0..results.agents.len()).map(|k| over(&|row| row.utilities[k])));
        }
        row.push(over(&|row| row.utilities.iter().sum::<f64>() / row.utilities.len() as f64));
        row.push(over(&|row| reading::product(&row.utilities).unwrap_or(f64::NAN)));
        row.push(over(&|row| reading::ratio_sum(results, row).unwrap_or(f64::NAN)));
        row.push(over(&|row| row.kappa.lo.0));
        row.push(Cell::text(witness(results, &own)));
        row.push(over(&|row| row.kappa.hi.0));
        row.push(verdicts(&own));
        row.push(over(&|row| row.test_accuracy.unwrap_or(f64::NAN)));
        row
    });
    Grid { header, rows: rows.collect() }
}

/// Utilities on held-out rows, and intervals of truncated ones: of the first seed.
fn held_out_table(results: &Results<'_>, ceiling: f64) -> Grid {
    let mut header = vec!["rule, first seed, held-out rows".to_owned()];
    header.extend(results.agents.iter().cloned());
    let rows = results.rules().into_iter().filter_map(|rule| {
        let first = *results.of(rule, ceiling).first()?;
        let cell = |k: usize| match &first.held_out[k] {
            None => Cell::missing(),
            Some(own) => Cell::text(format!(
                "{:.3}; truncated [{:.3}, {:.3}]",
                own.mean, own.truncated.lo, own.truncated.hi
            )),
        };
        let mut row = vec![Cell::text(rule)];
        row.extend((0..results.agents.len()).map(cell));
        Some(row)
    });
    Grid { header, rows: rows.collect() }
}

/// What the paper printed.
fn printed_table(results: &Results<'_>) -> Grid {
    let experiment = results.experiment;
    let mut header = vec!["paper".to_owned()];
    header.extend(results.agents.iter().enumerate().map(|(k, _)| format!("u_{k}")));
    header.extend(["average", "product", "sum of ratios"].map(str::to_owned));
    let rows = ["FedAvg", "CoreFed"].into_iter().zip(experiment.printed).map(|(rule, printed)| {
        let mut row = vec![Cell::text(rule)];
        row.extend(printed.iter().map(|u| Cell::number(*u, 2)));
        row.push(Cell::number(printed.iter().sum::<f64>() / printed.len() as f64, 2));
        row.push(Cell::number(printed.iter().product(), 2));
        let sum = (rule == "FedAvg").then_some(experiment.printed_sum);
        row.push(sum.map_or_else(Cell::missing, |sum| Cell::number(sum, 2)));
        row
    });
    Grid { header, rows: rows.collect() }
}

/// The strongest witness over seeds, in words.
fn witness(results: &Results<'_>, rows: &[&Row]) -> String {
    let found = rows.iter().filter_map(|row| row.witness.as_ref());
    let Some(best) = found.max_by(|a, b| a.kappa.0.total_cmp(&b.kappa.0)) else {
        return "none found".to_owned();
    };
    let members: Vec<&str> = best.coalition.iter().map(|&k| results.agents[k].as_str()).collect();
    let held_out = match best.holds_out {
        Some(true) => "; held-out rows agree",
        Some(false) => "; held-out rows leave it open",
        None => "",
    };
    format!("{} with {}{held_out}", members.join(", "), best.rival)
}

fn verdicts(rows: &[&Row]) -> Cell {
    let mut said: Vec<String> = Vec::new();
    for verdict in ["stable", "blocked", "undecided"] {
        let count = rows.iter().filter(|row| row.verdict.to_string() == verdict).count();
        if count == rows.len() && count > 0 {
            return Cell::text(verdict);
        }
        if count > 0 {
            said.push(format!("{count} {verdict}"));
        }
    }
    Cell::text(said.join(", "))
}
