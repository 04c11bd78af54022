//! Every group of a `stay.json` as a table.

use corefed_documents::Stay;

use crate::{Cell, Grid};

/// One row per group and agent.
#[must_use]
pub fn stay(document: &Stay) -> Grid {
    let header =
        ["group", "size", "agent", "member", "loss", &document.models.quality, "gain", "error"];
    let name = |k: &usize| document.agents[*k].name.as_str();
    let number = |value: Option<f64>| value.map_or_else(Cell::missing, |v| Cell::number(v, 4));
    let mut rows = Vec::new();
    for group in &document.groups {
        let members: Vec<&str> = group.members.iter().map(name).collect();
        let members = members.join(" + ");
        for (k, agent) in document.agents.iter().enumerate() {
            rows.push(vec![
                Cell::text(&members),
                Cell::text(group.members.len().to_string()),
                Cell::text(&agent.name),
                Cell::text(group.members.contains(&k).to_string()),
                number(group.loss[k]),
                number(group.quality[k]),
                number(group.gain[k]),
                number(group.error[k]),
            ]);
        }
    }
    Grid { header: header.map(str::to_owned).to_vec(), rows }
}
