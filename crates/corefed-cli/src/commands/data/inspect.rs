//! `corefed data inspect`: rows, columns and label balance per agent.

use std::io::Write;

use corefed_data::{AgentRows, DataError, Partition, Table};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::args::InspectArgs;
use crate::commands::answer::print_json;
use crate::failure::Failure;
use corefed_data::source::Rows;
use corefed_report::{columns as aligned, draw_labels};
use corefed_run::source::{Dataset, Labels};

#[derive(Serialize)]
struct Inspection {
    name: String,
    rows: usize,
    digest: String,
    columns: Vec<ColumnLine>,
    classes: Vec<String>,
    agents: Vec<AgentBalance>,
}

#[derive(Serialize)]
struct ColumnLine {
    name: String,
    /// `number`, `text`, or the shape of an image.
    kind: String,
    missing: usize,
}

#[derive(Serialize)]
struct AgentBalance {
    name: String,
    rows: usize,
    labels: Map<String, Value>,
}

/// Agents, and columns, shown on a terminal; JSON and the picture have more.
const SHOWN: usize = 20;

/// Shows what a set holds and who owns it.
pub(super) fn inspect(args: &InspectArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let set = Dataset::open(&args.source.wanted())?;
    let labels = set.labels(args.target.as_deref())?;
    let owners = set.owners(args.partition.as_deref(), args.agent.as_deref())?;
    let owners = match owners {
        Some(owners) => owners,
        None => everybody(set.len())?,
    };
    let counts = counts(&owners, &labels);
    if let Some(path) = &args.picture {
        let names: Vec<&str> = owners.agents().iter().map(|agent| agent.name.as_str()).collect();
        corefed_log::write_file(path, draw_labels(&names, &labels.classes, &counts))?;
    }
    let inspection = Inspection {
        rows: set.len(),
        digest: set.digest(),
        columns: columns(&set.rows),
        agents: owners
            .agents()
            .iter()
            .zip(&counts)
            .map(|(agent, counts)| balance(agent, &labels.classes, counts))
            .collect(),
        classes: labels.classes,
        name: set.name,
    };
    if args.json {
        return print_json(out, &inspection);
    }
    out.write_all(render(&inspection).as_bytes())?;
    Ok(())
}

/// A set without owners is shown as one.
fn everybody(rows: usize) -> Result<Partition, Failure> {
    let all = (0..rows).filter_map(|row| u32::try_from(row).ok()).collect();
    let owner = AgentRows { name: "all".to_owned(), rows: all };
    Ok(Partition::new(rows, vec![owner]).map_err(DataError::from)?)
}

/// How often each agent has each class.
pub(super) fn counts(owners: &Partition, labels: &Labels) -> Vec<Vec<usize>> {
    let count = |agent: &AgentRows| {
        let mut counts = vec![0; labels.classes.len()];
        for row in &agent.rows {
            counts[labels.of_row[*row as usize] as usize] += 1;
        }
        counts
    };
    owners.agents().iter().map(count).collect()
}

fn balance(agent: &AgentRows, classes: &[String], counts: &[usize]) -> AgentBalance {
    let labels = classes.iter().zip(counts).map(|(class, n)| (class.clone(), Value::from(*n)));
    AgentBalance { name: agent.name.clone(), rows: agent.rows.len(), labels: labels.collect() }
}

fn columns(rows: &Rows) -> Vec<ColumnLine> {
    match rows {
        Rows::Images(images) => {
            let (height, width, channels) = (images.height(), images.width(), images.channels());
            let kind = format!("{height}x{width}x{channels} bytes");
            vec![ColumnLine { name: "pixels".to_owned(), kind, missing: 0 }]
        }
        Rows::Table(table) => (0..table.columns().len()).map(|k| column(table, k)).collect(),
    }
}

fn column(table: &Table, index: usize) -> ColumnLine {
    let cells = || (0..table.rows()).map(|row| table.cell(row, index));
    let missing = |cell: &&str| matches!(*cell, "" | "?");
    let number = cells().filter(|cell| !missing(cell)).all(|cell| cell.parse::<f64>().is_ok());
    ColumnLine {
        name: table.columns()[index].clone(),
        kind: if number { "number" } else { "text" }.to_owned(),
        missing: cells().filter(missing).count(),
    }
}

fn render(set: &Inspection) -> String {
    let mut kinds: Vec<String> = set
        .columns
        .iter()
        .take(SHOWN)
        .map(|column| match column.missing {
            0 => format!("{} ({})", column.name, column.kind),
            missing => format!("{} ({}, {missing} missing)", column.name, column.kind),
        })
        .collect();
    if set.columns.len() > SHOWN {
        kinds.push(format!("and {} more", set.columns.len() - SHOWN));
    }
    let header = [&["agent".to_owned(), "rows".to_owned()][..], &set.classes].concat();
    let mut rows = vec![header];
    for agent in set.agents.iter().take(SHOWN) {
        let mut row = vec![agent.name.clone(), agent.rows.to_string()];
        row.extend(agent.labels.values().map(ToString::to_string));
        rows.push(row);
    }
    let more = match set.agents.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("  and {more} more; see --json\n"),
    };
    let table = aligned(&rows);
    format!("{}: {} rows\n{}\n\n{table}{more}", set.name, set.rows, kinds.join(", "))
}
