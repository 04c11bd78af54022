//! What each agent would gain by leaving, with intervals, beside what it has.

use super::Axis;
use super::svg::{Key, Svg};
use crate::html::{percent, short};

/// A gain as a part of the shared model's loss, with its interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gain {
    pub(crate) mean: f64,
    pub(crate) lo: f64,
    pub(crate) hi: f64,
}

/// One agent.
pub(crate) struct GainRow {
    pub(crate) name: String,
    /// What the shared model gives it, in words.
    pub(crate) now: String,
    /// With a model of its own.
    pub(crate) alone: Option<Gain>,
    /// In the group that suits it best.
    pub(crate) best: Option<Gain>,
    /// The answer in a word or two.
    pub(crate) said: &'static str,
    /// The colour of that answer.
    pub(crate) class: &'static str,
}

/// Agents under one another; right of the line, leaving pays.
pub(crate) struct Gains {
    pub(crate) label: String,
    pub(crate) rows: Vec<GainRow>,
    /// Gains up to this count as staying.
    pub(crate) margin: f64,
}

/// An interval far to the left says only that leaving would be bad.
const WORST: f64 = -1.0;

impl Gains {
    pub(crate) fn draw(&self, width: f64) -> String {
        let mut svg = Svg::new(width, &self.label);
        let narrow = svg.is_narrow();
        let keys = [
            (Key::Marker(0), "with a model of its own"),
            (Key::Marker(3), "in the group that suits it best"),
        ];
        let keys = keys.map(|(key, label)| (key, label.to_owned()));
        let top = svg.legend(0.0, &keys) + 26.0;
        let step = if narrow { 66.0 } else { 50.0 };
        let (left, right) = if narrow { (4.0, width - 8.0) } else { (176.0, width - 128.0) };
        let axis = self.axis(left, right);
        let bottom = top + step * self.rows.len() as f64;
        let (zero, kept) = (axis.at(0.0), axis.at(self.margin));
        // On a phone names stand between the strips.
        let strip = |k: usize| {
            let y = top + step * k as f64;
            if narrow { (y + 24.0, y + step) } else { (y, y + step) }
        };
        for k in 0..self.rows.len() {
            let (from, to) = strip(k);
            svg.rect((left, from, zero - left, to - from), "zone-good");
            svg.rect((kept, from, right - kept, to - from), "zone-bad");
        }
        let ticks = axis.ticks(if narrow { 4 } else { 7 });
        for tick in &ticks {
            let x = axis.at(*tick);
            for k in 0..self.rows.len() {
                let (from, to) = strip(k);
                svg.line((x, from), (x, to), if *tick == 0.0 { "one" } else { "grid" });
            }
            let sign = if *tick > 0.0 { "+" } else { "" };
            let shown = format!("{sign}{:.0}\u{202f}%", 100.0 * tick).replace('-', "−");
            svg.text((x, bottom + 17.0), "num", "middle", &shown);
        }
        svg.text((left, top - 8.0), "lab", "start", "← leaving costs");
        svg.text((right, top - 8.0), "lab", "end", "leaving pays →");
        for (k, row) in self.rows.iter().enumerate() {
            Self::draw_row(&mut svg, &axis, row, strip(k));
        }
        let what = if narrow {
            "part of its loss saved by leaving"
        } else {
            "part of its loss on held-out rows that an agent would save by leaving"
        };
        svg.text((f64::midpoint(left, right), bottom + 37.0), "lab", "middle", what);
        svg.height = bottom + 46.0;
        svg.finish()
    }

    fn axis(&self, left: f64, right: f64) -> Axis {
        let gains = || self.rows.iter().flat_map(|row| [row.alone, row.best]).flatten();
        let least = gains().map(|gain| gain.lo.max(WORST).min(gain.mean));
        let values = least.chain(gains().map(|gain| gain.hi)).chain([-0.1, 0.1, 2.0 * self.margin]);
        Axis::around(values, left, right).with_air(0.04)
    }

    /// One agent between two heights.
    fn draw_row(svg: &mut Svg, axis: &Axis, row: &GainRow, (from, to): (f64, f64)) {
        let middle = f64::midpoint(from, to);
        if svg.is_narrow() {
            svg.text((4.0, from - 8.0), "strong", "start", &short(&row.name, 22));
            svg.text((svg.width - 8.0, from - 8.0), row.class, "end", row.said);
        } else {
            svg.text((162.0, middle - 3.0), "strong", "end", &short(&row.name, 22));
            svg.text((162.0, middle + 13.0), "num", "end", &row.now);
            svg.text((svg.width - 118.0, middle + 4.0), row.class, "start", row.said);
        }
        svg.line((axis.at(axis.min), to), (axis.at(axis.max), to), "grid");
        for (gain, style, y, world) in [
            (row.alone, 0, middle - 8.0, "alone"),
            (row.best, 3, middle + 8.0, "in its best group"),
        ] {
            let Some(Gain { mean, lo, hi }) = gain else { continue };
            let tip = format!(
                "{} {world}: {} of its loss saved, from {} to {}",
                row.name,
                signed(mean),
                signed(lo),
                signed(hi)
            );
            let (x, a, b) = (axis.at(mean), axis.at(lo), axis.at(hi));
            svg.path(
                &format!("M{a:.1} {y:.1}H{b:.1}M{b:.1} {:.1}V{:.1}", y - 4.0, y + 4.0),
                &format!("s k{style}"),
                Some(&tip),
            );
            if lo >= axis.min {
                svg.path(
                    &format!("M{a:.1} {:.1}V{:.1}", y - 4.0, y + 4.0),
                    &format!("s k{style}"),
                    None,
                );
            }
            svg.marker((x, y), style, 4.6, Some(&tip));
        }
    }
}

fn signed(part: f64) -> String {
    if part < 0.0 { format!("−{}", percent(-part)) } else { percent(part) }
}
