//! How much agents that keep their rows have told in an exact audit, against what they own.

use corefed_documents::{Answered, AnsweredAgent};

use super::Block;
use crate::html::{escape, whole};
use crate::table::{Cell, Table};

/// What it means, and a row for every agent.
pub(super) fn blocks(told: &Answered) -> [Block; 2] {
    let training = match told.training_rounds {
        0 => String::new(),
        rounds => format!(", {} of which found the model", whole(rounds)),
    };
    let said = format!(
        "Rows stayed at their agents, which answered questions about {} points in {} rounds{training}. An agent \
         that answers about as many numbers as its table has cells may in principle have given its rows away.",
        whole(told.points),
        whole(told.rounds)
    );
    [Block::Html(format!("<p>{}</p>\n", escape(&said))), Block::Table(table(told))]
}

fn table(told: &Answered) -> Table {
    let mut columns = vec!["agent", "cells it owns", "numbers it answered", "per cell", "by round"];
    let why = |agent: &AnsweredAgent| agent.left_out.clone().or_else(|| agent.unsigned.clone());
    let troubled = told.agents.iter().any(|agent| why(agent).is_some());
    if troubled {
        columns.push("left out, or not signed, because");
    }
    let rows = told.agents.iter().map(|agent| {
        let total = agent.total();
        let share = |cells: usize| Cell::Number(total as f64 / cells as f64);
        let by_round: Vec<String> = agent.answered.iter().map(|count| whole(*count)).collect();
        let mut row = vec![
            Cell::Text(agent.name.clone()),
            agent.cells.map_or(Cell::Missing, Cell::Whole),
            Cell::Whole(total),
            agent.cells.filter(|cells| *cells > 0).map_or(Cell::Missing, share),
            Cell::Figures(by_round.join(", ")),
        ];
        if troubled {
            row.push(Cell::Text(why(agent).unwrap_or_default()));
        }
        row
    });
    Table {
        id: "answered-by-agent".into(),
        caption: "Numbers answered by every agent in the exact audit".into(),
        columns: columns.into_iter().map(str::to_owned).collect(),
        rows: rows.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_against_cells() {
        let agent = |name: &str, cells, answered: &[usize], left_out: Option<&str>| AnsweredAgent {
            name: name.to_owned(),
            cells,
            answered: answered.to_vec(),
            left_out: left_out.map(str::to_owned),
            ..AnsweredAgent::default()
        };
        let mut told = Answered {
            rounds: 3,
            training_rounds: 1,
            points: 7,
            agents: vec![agent("Aachen", Some(400), &[60, 40, 0], None)],
        };
        let [Block::Html(said), Block::Table(table)] = blocks(&told) else { panic!() };
        assert!(said.contains("about 7 points in 3 rounds, 1 of which found the model"), "{said}");
        assert_eq!(table.columns.len(), 5);
        // 100 numbers for 400 cells.
        assert_eq!(table.rows[0][2..4], [Cell::Whole(100), Cell::Number(0.25)]);
        assert_eq!(table.rows[0][4], Cell::Figures("60, 40, 0".to_owned()));
        told.agents.push(agent("Evora", None, &[], Some("it is <away>")));
        let [_, Block::Table(table)] = blocks(&told) else { panic!() };
        assert_eq!(table.rows[1][1..4], [Cell::Missing, Cell::Whole(0), Cell::Missing]);
        assert!(table.html().contains("it is &lt;away&gt;"));
    }
}
