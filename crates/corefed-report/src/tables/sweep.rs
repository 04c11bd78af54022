//! A sweep as a table.

use corefed_documents::Sweep;

use super::MOST_COLUMNS;
use crate::{Cell, Grid, words};

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
    let columns = header.len();
    let rows = points.iter().map(|point| {
        let mut row = vec![Cell::text(&point.value)];
        if let Some(unserved) = &point.infeasible {
            // What there is not stays empty; the last column says who cannot be served.
            row.resize_with(columns - 1, Cell::missing);
            row.push(Cell::text(words::unserved(&unserved.agents)));
            return row;
        }
        if listed.is_some() {
            row.extend(point.utilities.iter().map(|u| Cell::number(*u, 4)));
        } else {
            let least = point.utilities.iter().copied().fold(f64::INFINITY, f64::min);
            let mean = point.utilities.iter().sum::<f64>() / point.utilities.len() as f64;
            row.extend([Cell::number(least, 4), Cell::number(mean, 4)]);
        }
        let or_missing = |number: Option<f64>, digits: usize| {
            number.map_or_else(Cell::missing, |number| Cell::number(number, digits))
        };
        row.push(or_missing(point.log_welfare.map(|w| w.0), 4));
        if tested {
            row.push(or_missing(point.test_accuracy, 4));
        }
        row.push(or_missing(point.kappa.map(|kappa| kappa.lo.0), 6));
        row.push(or_missing(point.kappa.map(|kappa| kappa.hi.0), 6));
        row.push(or_missing(point.everybody.map(|everybody| everybody.lo.0), 6));
        row.push(or_missing(point.headroom.map(|headroom| headroom.0), 4));
        row.push(
            point.verdict.map_or_else(Cell::missing, |verdict| Cell::text(verdict.to_string())),
        );
        row
    });
    Grid { header, rows: rows.collect() }
}
