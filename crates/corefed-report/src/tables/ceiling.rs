//! A search for a ceiling as a table.

use corefed_documents::CeilingSearch;

use crate::{Cell, Grid};

/// One row per scale tried.
#[must_use]
pub fn ceiling(document: &CeilingSearch) -> Grid {
    let header =
        [document.policy.as_str(), "min u", "max u", "kappa >=", "kappa <=", "headroom", "verdict"];
    let row = |point: &corefed_documents::CeilingPoint| {
        vec![
            Cell::number(point.scale, 4),
            Cell::number(point.least, 4),
            Cell::number(point.most, 4),
            Cell::number(point.kappa.lo.0, 6),
            Cell::number(point.kappa.hi.0, 6),
            Cell::number(point.headroom.0, 4),
            Cell::text(point.verdict.to_string()),
        ]
    };
    Grid {
        header: header.map(str::to_owned).to_vec(),
        rows: document.points.iter().map(row).collect(),
    }
}
