//! A sweep as a table.

use corefed_documents::Sweep;

use super::MOST_COLUMNS;
use crate::{Cell, Grid};

/// One row per value.
#[must_use]
pub fn sweep(document: &Sweep) -> Grid {
    let Sweep { field, points, .. } = document;
    let mut header = vec![field.clone()];
    // Agents may change with the key, so they have columns only where they are the same throughout.
    let agents = points.first().map(|point| &point.agents);
    let listed = agents.filter(|agents| {
        agents.len() <= MOST_COLUMNS && points.iter().all(|point| point.agents == **agents)
    });
    if let Some(agents) = listed {
        header.extend(agents.iter().map(|name| format!("u({name})")));
    } else {
        header.extend(["min u", "mean u"].map(str::to_owned));
    }
    let tested = points.iter().any(|point| point.test_accuracy.is_some());
    header.push("log-welfare".to_owned());
    if tested {
        header.push("test accuracy".to_owned());
    }
    let factors = ["kappa >=", "kappa <=", "everybody >=", "headroom", "verdict"];
    header.extend(factors.map(str::to_owned));
    let rows = points.iter().map(|point| {
        let mut row = vec![Cell::text(&point.value)];
        if listed.is_some() {
            row.extend(point.utilities.iter().map(|u| Cell::number(*u, 4)));
        } else {
            let least = point.utilities.iter().copied().fold(f64::INFINITY, f64::min);
            let mean = point.utilities.iter().sum::<f64>() / point.utilities.len() as f64;
            row.extend([Cell::number(least, 4), Cell::number(mean, 4)]);
        }
        row.push(Cell::number(point.log_welfare.0, 4));
        if tested {
            row.push(point.test_accuracy.map_or_else(Cell::missing, |a| Cell::number(a, 4)));
        }
        row.push(Cell::number(point.kappa.lo.0, 6));
        row.push(Cell::number(point.kappa.hi.0, 6));
        row.push(Cell::number(point.everybody.lo.0, 6));
        row.push(Cell::number(point.headroom.0, 4));
        row.push(Cell::text(point.verdict.to_string()));
        row
    });
    Grid { header, rows: rows.collect() }
}
