//! What a set holds and who owns it, with what looks odd.

use corefed_data::source::Rows;
use corefed_data::{AgentRows, Holds, Partition, Spread, Table, spread_of, survey_column, unlike};
use corefed_documents::{AgentNumbers, InspectedAgent, InspectedColumn, Inspection};
use serde_json::{Map, Value};

use crate::source::{Dataset, Labels};
use crate::{PrepareError, RunError};

/// More different targets than this, all of them numbers, are a quantity.
const MOST_CLASSES: usize = 20;
/// Everything that is said about a column takes some kilobytes.
const MOST_COLUMNS: usize = 100_000;
/// Fewer rows than this say little about an agent.
const FEW_ROWS: usize = 10;
/// Names listed before the rest is counted.
const LISTED: usize = 6;

/// Looks at everything. Neither target nor owners need be known.
pub fn inspect(
    set: &Dataset,
    owners: Option<&Partition>,
    target: Option<&str>,
) -> Result<(Inspection, Option<Labels>), RunError> {
    if let Rows::Table(table) = &set.rows
        && table.columns().len() > MOST_COLUMNS
    {
        let (data, columns) = (set.name.clone(), table.columns().len());
        return Err(PrepareError::ManyColumns { data, columns, most: MOST_COLUMNS }.into());
    }
    let target = set.target(target);
    let (columns, mut odd) = match &set.rows {
        Rows::Images(images) => (vec![pixels(images)], Vec::new()),
        Rows::Table(table) => columns(table),
    };
    let labels = match (&set.rows, &target) {
        (Rows::Table(table), Some(target)) => {
            table.column(target)?;
            let quantity = columns.iter().any(|column| {
                column.name == *target && column.kind == "number" && column.distinct > MOST_CLASSES
            });
            if quantity { None } else { Some(set.labels(Some(target))?) }
        }
        (Rows::Table(_), None) => None,
        (Rows::Images(_), _) => Some(set.labels(None)?),
    };
    let mut agents: Vec<InspectedAgent> = Vec::new();
    for agent in owners.map_or(&[][..], Partition::agents) {
        agents.push(InspectedAgent {
            name: agent.name.clone(),
            rows: agent.rows.len(),
            labels: labels.as_ref().map(|labels| balance(agent, labels)).unwrap_or_default(),
            numbers: Vec::new(),
        });
    }
    if let (Rows::Table(table), Some(owners)) = (&set.rows, owners) {
        for column in columns.iter().filter(|column| column.kind == "number") {
            let index = table.column(&column.name)?;
            let spreads: Vec<Spread> =
                owners.agents().iter().map(|agent| spread_of(table, index, &agent.rows)).collect();
            // A column that is constant for everybody else decides who owns a row.
            for k in unlike(&spreads) {
                odd.push(format!(
                    "`{}` of `{}` is unlike everybody else's: mean {:.4}, deviation {:.4}; another unit?",
                    column.name, agents[k].name, spreads[k].mean, spreads[k].deviation
                ));
            }
            for (agent, spread) in agents.iter_mut().zip(&spreads) {
                let Spread { count, mean, deviation } = *spread;
                let column = column.name.clone();
                agent.numbers.push(AgentNumbers { column, count, mean, deviation });
            }
        }
    }
    odd.extend(odd_agents(&agents));
    let inspection = Inspection {
        name: set.name.clone(),
        rows: set.len(),
        digest: set.digest(),
        columns,
        target,
        classes: labels.as_ref().map(|labels| labels.classes.clone()).unwrap_or_default(),
        agents,
        odd,
    };
    Ok((inspection, labels))
}

fn odd_agents(agents: &[InspectedAgent]) -> Vec<String> {
    let named = |what: &str, which: Vec<&str>| {
        let rest = which.len().saturating_sub(LISTED);
        let names: Vec<String> =
            which.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
        let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
        let found = !which.is_empty();
        found.then(|| {
            format!("{} of {} agents {what}: {}{more}", which.len(), agents.len(), names.join(", "))
        })
    };
    let of = |keep: &dyn Fn(&InspectedAgent) -> bool| {
        agents
            .iter()
            .filter(|agent| keep(agent))
            .map(|agent| agent.name.as_str())
            .collect::<Vec<_>>()
    };
    let few =
        named(&format!("have fewer than {FEW_ROWS} rows"), of(&|agent| agent.rows < FEW_ROWS));
    let one_class = |agent: &InspectedAgent| {
        agent.labels.len() > 1
            && agent.labels.values().filter(|count| count.as_u64() != Some(0)).count() == 1
    };
    few.into_iter().chain(named("have rows of one class only", of(&one_class))).collect()
}

fn balance(agent: &AgentRows, labels: &Labels) -> Map<String, Value> {
    let mut counts = vec![0_usize; labels.classes.len()];
    for row in &agent.rows {
        counts[labels.of_row[*row as usize] as usize] += 1;
    }
    labels.classes.iter().cloned().zip(counts.into_iter().map(Value::from)).collect()
}

fn pixels(images: &corefed_data::Images) -> InspectedColumn {
    let (height, width, channels) = (images.height(), images.width(), images.channels());
    InspectedColumn { kind: format!("{height}x{width}x{channels} bytes"), ..blank("pixels") }
}

fn blank(name: &str) -> InspectedColumn {
    InspectedColumn {
        name: name.to_owned(),
        kind: String::new(),
        missing: 0,
        distinct: 0,
        least: Value::Null,
        most: Value::Null,
        mean: None,
        deviation: None,
        bars: Vec::new(),
        levels: Vec::new(),
    }
}

fn columns(table: &Table) -> (Vec<InspectedColumn>, Vec<String>) {
    let mut odd: Vec<String> = table.notes().iter().map(ToString::to_string).collect();
    let mut columns = Vec::new();
    for index in 0..table.columns().len() {
        let found = survey_column(table, index);
        odd.extend(found.odd.iter().map(|what| format!("column `{}` {what}", found.name)));
        let column = InspectedColumn {
            missing: found.holes,
            distinct: found.distinct,
            ..blank(&found.name)
        };
        columns.push(match found.holds {
            Holds::Numbers { least, most, mean, deviation, bars } => InspectedColumn {
                kind: "number".to_owned(),
                least: Value::from(least),
                most: Value::from(most),
                mean: Some(mean),
                deviation: Some(deviation),
                bars,
                ..column
            },
            Holds::Texts { levels } => {
                InspectedColumn { kind: "text".to_owned(), levels, ..column }
            }
            Holds::Dates { first, last } => InspectedColumn {
                kind: "date".to_owned(),
                least: Value::from(first),
                most: Value::from(last),
                ..column
            },
            Holds::Nothing => InspectedColumn { kind: "empty".to_owned(), ..column },
        });
    }
    (columns, odd)
}
