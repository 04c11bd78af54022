//! Kappa as an interval beside one, for every model.

use corefed_core::Verdict;

use super::Axis;
use super::axis::tick_label;
use super::svg::{Svg, ring};
use crate::html::{factor, short};
use crate::sentence::{class, word};

/// One interval.
pub(crate) struct ScaleRow {
    pub(crate) name: String,
    pub(crate) verdict: Verdict,
    pub(crate) lo: f64,
    pub(crate) hi: f64,
}

/// Intervals under one another on a scale of ratios, with one marked.
pub(crate) struct Scale {
    pub(crate) label: String,
    pub(crate) rows: Vec<ScaleRow>,
}

impl Scale {
    pub(crate) fn draw(&self, width: f64) -> String {
        let mut svg = Svg::new(width, &self.label);
        let narrow = svg.is_narrow();
        let finite = self.rows.iter().flat_map(|row| [row.lo, row.hi]).filter(|v| v.is_finite());
        let top = finite.fold(1.22, f64::max) * 1.12;
        let (left, right) = if narrow { (4.0, width - 8.0) } else { (250.0, width - 74.0) };
        // Groups that are far from leaving need no room of their own.
        let least = self.rows.iter().map(|row| row.lo).fold(0.9, f64::min).max(0.5);
        let axis = Axis::logarithmic(least, top, left, right);
        let step = if narrow { 50.0 } else { 34.0 };
        let (head, bottom) = (26.0, 26.0 + step * self.rows.len() as f64);
        let one = axis.at(1.0);
        // Names stand between the rows of a narrow chart, where no line may cross them.
        let strips: Vec<(f64, f64)> = if narrow {
            let top = |k: usize| head + step * k as f64 + 20.0;
            (0..self.rows.len()).map(|k| (top(k), top(k) + 26.0)).collect()
        } else {
            vec![(head, bottom)]
        };
        for (from, to) in &strips {
            svg.rect((one, *from, right - one, to - from), "zone-bad");
        }
        svg.text((one - 6.0, 16.0), "lab", "end", "stay");
        svg.text((one + 6.0, 16.0), "lab", "start", "would leave");
        for tick in axis.ticks(if narrow { 4 } else { 8 }) {
            let x = axis.at(tick);
            if tick != 1.0 {
                for (from, to) in &strips {
                    svg.line((x, *from), (x, *to), "grid");
                }
            }
            svg.text((x, bottom + 17.0), "num", "middle", &tick_label(tick, None));
        }
        for (from, to) in &strips {
            svg.line((one, from - if narrow { 0.0 } else { 6.0 }), (one, *to), "one");
        }
        for (k, row) in self.rows.iter().enumerate() {
            let y = head + step * k as f64 + if narrow { 33.0 } else { step / 2.0 };
            let said = format!("{}: {}", short(&row.name, 24), word(row.verdict).to_lowercase());
            if narrow {
                svg.text((left, y - 17.0), "strong", "start", &said);
            } else {
                svg.text((left - 14.0, y + 4.0), "strong", "end", &said);
            }
            let tip = format!("{}: kappa from {} to {}", row.name, factor(row.lo), factor(row.hi));
            let (from, to) = (axis.at(row.lo.max(least)), axis.at(row.hi.max(least)));
            let class = class(row.verdict);
            svg.path(&format!("M{from:.1} {y:.1}H{to:.1}"), &format!("bar k-{class}"), None);
            svg.path(&mark((from, y), row.verdict), &format!("m f-{class}"), Some(&tip));
            if row.hi.is_infinite() {
                svg.text((to + 4.0, y + 4.0), "num", "start", "∞");
            } else if to - from > 3.0 {
                svg.line((to, y - 6.0), (to, y + 6.0), &format!("bar k-{class}"));
            }
            if !narrow && row.hi.is_finite() {
                svg.text((width, y + 4.0), "num", "end", &factor(row.lo));
            }
        }
        svg.height = bottom + 26.0;
        svg.finish()
    }
}

/// A disc, a triangle that points away, one that points up, an empty-looking diamond.
fn mark((x, y): (f64, f64), verdict: Verdict) -> String {
    match verdict {
        Verdict::Stable => ring((x, y), 6.0),
        Verdict::Blocked => {
            format!(
                "M{:.1} {:.1}L{:.1} {y:.1}L{:.1} {:.1}z",
                x - 5.0,
                y - 7.0,
                x + 8.0,
                x - 5.0,
                y + 7.0
            )
        }
        Verdict::Improvable => {
            format!(
                "M{:.1} {:.1}L{x:.1} {:.1}L{:.1} {:.1}z",
                x - 7.0,
                y + 5.0,
                y - 8.0,
                x + 7.0,
                y + 5.0
            )
        }
        Verdict::Undecided => format!(
            "M{x:.1} {:.1}L{:.1} {y:.1}L{x:.1} {:.1}L{:.1} {y:.1}z",
            y - 7.5,
            x + 7.5,
            y + 7.5,
            x - 7.5
        ),
    }
}
