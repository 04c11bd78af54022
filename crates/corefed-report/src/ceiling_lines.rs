//! Kappa and headroom against a common scale of ceilings, as curves.

use corefed_core::Verdict;
use corefed_documents::{CeilingPoint, CeilingSearch};

use crate::chart::{Lines, Series, Zone};

/// Part of the first scale that is drawn to the left of it, where nobody can be served.
const MARGIN: f64 = 0.9;

/// The curves, with the strips of what the answer is.
pub(crate) fn ceiling_lines(document: &CeilingSearch) -> Lines {
    let curve = |label: &str, style: usize, value: &dyn Fn(&CeilingPoint) -> f64| Series {
        label: label.to_owned(),
        style,
        points: document
            .points
            .iter()
            .map(|point| (point.scale, value(point)))
            .filter(|point| point.1.is_finite())
            .collect(),
        marks: true,
        ..Series::default()
    };
    Lines {
        label: "Kappa and headroom against the scale of the ceilings".to_owned(),
        x_label: format!("scale of {}", document.policy),
        y_label: "factor".to_owned(),
        series: vec![
            curve("headroom", 1, &|point| point.headroom.0),
            curve("kappa at most", 2, &|point| point.kappa.hi.0),
            curve("kappa at least", 0, &|point| point.kappa.lo.0),
        ],
        zones: zones(document),
        rule: Some(1.0),
        log_x: true,
        log_y: true,
        table: "ceiling".to_owned(),
        ..Lines::default()
    }
}

/// Neighbouring scales with one answer, half-way to the next.
fn zones(document: &CeilingSearch) -> Vec<Zone> {
    let served = document.served.above;
    let mut zones =
        vec![Zone { from: MARGIN * served, to: served, class: "zone-bad", label: "infeasible" }];
    let points = &document.points;
    for (k, point) in points.iter().enumerate() {
        let from = if k == 0 { served } else { f64::midpoint(points[k - 1].scale, point.scale) };
        let to =
            points.get(k + 1).map_or(point.scale, |next| f64::midpoint(point.scale, next.scale));
        let (class, label) = match point.verdict {
            _ if point.headroom.0 <= 1.0 => ("zone-open", "empty"),
            Verdict::Stable => ("zone-good", "stable"),
            Verdict::Blocked => ("zone-bad", "blocked"),
            Verdict::Improvable => ("zone-open", "improvable"),
            Verdict::Undecided => ("zone-open", "undecided"),
        };
        match zones.last_mut() {
            Some(last) if last.label == label => last.to = to,
            _ => zones.push(Zone { from, to, class, label }),
        }
    }
    zones
}
