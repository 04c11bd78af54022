//! Curves over rounds or over the values of a key.

use std::fmt::Write;

use super::Axis;
use super::axis::{tick_label, tick_step};
use super::svg::{Key, STYLES, Svg};
use crate::html::short;

const HEIGHT: f64 = 240.0;
/// Room for labels at the ends of lines.
const LABELS: f64 = 150.0;

/// A curve.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series {
    pub(crate) label: String,
    pub(crate) style: usize,
    pub(crate) points: Vec<(f64, f64)>,
    /// Lowest and highest value around a point, where a point stands for several.
    pub(crate) envelope: Vec<(f64, f64, f64)>,
    /// Whether every point has a mark: right for a few, noise for many.
    pub(crate) marks: bool,
}

/// A part of the horizontal axis with a name, such as a verdict.
#[derive(Clone, Debug)]
pub(crate) struct Zone {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) class: &'static str,
    pub(crate) label: &'static str,
}

/// Curves in one frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    pub(crate) label: String,
    pub(crate) x_label: String,
    pub(crate) y_label: String,
    pub(crate) series: Vec<Series>,
    /// Areas between two curves, widest first.
    pub(crate) areas: Vec<Vec<(f64, f64, f64)>>,
    /// A value worth a line of its own, such as kappa = 1.
    pub(crate) rule: Option<f64>,
    pub(crate) zones: Vec<Zone>,
    pub(crate) log_x: bool,
    pub(crate) log_y: bool,
    /// The table whose rows are shown when the chart is pointed at.
    pub(crate) table: String,
}

impl Lines {
    pub(crate) fn draw(&self, width: f64) -> String {
        let mut svg = Svg::new(width, &self.label);
        let narrow = svg.is_narrow();
        let direct = !narrow && self.series.len() > 1;
        let mut top = 22.0;
        if narrow && self.series.len() > 1 {
            let keys: Vec<(Key, String)> =
                self.series.iter().map(|s| (Key::Line(s.style), short(&s.label, 30))).collect();
            top = svg.legend(0.0, &keys) + 18.0;
        }
        let zone = if self.zones.is_empty() { 0.0 } else { 22.0 };
        let (left, right) = (48.0, if direct { width - LABELS } else { width - 12.0 });
        let bottom = top + zone + HEIGHT;
        let (x, y) = self.axes((left, right), (bottom, top + zone));
        self.frame(&mut svg, &x, &y, top);
        for area in &self.areas {
            svg.path(&outline(area, &x, &y), "area", None);
        }
        for series in &self.series {
            if !series.envelope.is_empty() {
                let class = format!("envelope f{}", series.style % STYLES);
                let d = outline(&series.envelope, &x, &y);
                svg.of_series(&series.label, |svg| svg.path(&d, &class, None));
            }
        }
        for series in self.series.iter().rev() {
            let points: Vec<(f64, f64)> =
                series.points.iter().map(|(px, py)| (x.at(*px), y.at(*py))).collect();
            svg.of_series(&series.label, |svg| {
                svg.stroke(&points, series.style, "s");
                for at in points.iter().filter(|_| series.marks) {
                    svg.marker(*at, series.style, 3.5, None);
                }
            });
        }
        if direct {
            self.end_labels(&mut svg, &y, right);
        }
        svg.attribute("table", &self.table);
        svg.attribute("x", &format!("{left} {right} {} {} {}", x.min, x.max, u8::from(x.log)));
        svg.attribute("y", &format!("{} {bottom}", top + zone));
        svg.height = bottom + 40.0;
        svg.finish()
    }

    fn axes(&self, (left, right): (f64, f64), (bottom, top): (f64, f64)) -> (Axis, Axis) {
        // A part with a name belongs on the axis, whether it has points or not.
        let named = || self.zones.iter().flat_map(|zone| [zone.from, zone.to]);
        let xs = || self.series.iter().flat_map(|s| &s.points).map(|p| p.0).chain(named());
        let areas = self.areas.iter().flatten();
        let ys = self
            .series
            .iter()
            .flat_map(|s| {
                s.points.iter().map(|p| p.1).chain(s.envelope.iter().flat_map(|e| [e.1, e.2]))
            })
            .chain(areas.flat_map(|a| [a.1, a.2]))
            .chain(self.rule);
        let plain = Axis::around(xs(), left, right);
        let x = if self.log_x && plain.min > 0.0 {
            Axis::logarithmic(plain.min, plain.max, left, right)
        } else {
            plain
        };
        let plain = Axis::around(ys, bottom, top);
        let y = if self.log_y && plain.min > 0.0 {
            Axis::logarithmic(plain.min * 0.95, plain.max * 1.1, bottom, top)
        } else {
            plain.with_air(0.06)
        };
        (x, y)
    }

    fn frame(&self, svg: &mut Svg, x: &Axis, y: &Axis, top: f64) {
        let narrow = svg.is_narrow();
        let (left, right) = (x.at(x.min), x.at(x.max));
        let (bottom, head) = (y.at(y.min), y.at(y.max));
        for zone in &self.zones {
            let (from, to) = (x.at(zone.from), x.at(zone.to));
            svg.rect((from, top, to - from, bottom - top), zone.class);
            if to - from > 7.0 * zone.label.len() as f64 + 8.0 {
                svg.text((f64::midpoint(from, to), top + 15.0), "lab", "middle", zone.label);
            } else if to - from > 12.0 {
                // Too narrow to stand: it hangs.
                svg.upright((f64::midpoint(from, to) + 4.0, top + 8.0), zone.label);
            }
        }
        let ticks = y.ticks(5);
        let gap = tick_step(y, &ticks);
        for tick in ticks {
            let at = y.at(tick);
            svg.line((left, at), (right, at), if tick == 0.0 { "base" } else { "grid" });
            svg.text((left - 8.0, at + 4.0), "num", "end", &tick_label(tick, gap));
        }
        let whole = self.series.iter().flat_map(|s| &s.points).all(|p| p.0.fract() == 0.0);
        // There is nothing between two rounds.
        let apart = |count: &usize| !whole || x.max - x.min >= *count as f64;
        let most = if narrow { 4 } else { 8 };
        let ticks = x.ticks((1..=most).rev().find(apart).unwrap_or(1));
        let gap = tick_step(x, &ticks);
        for tick in ticks {
            let at = x.at(tick);
            svg.line((at, bottom), (at, bottom + 4.0), "base");
            svg.text((at, bottom + 18.0), "num", "middle", &tick_label(tick, gap));
        }
        if let Some(rule) = self.rule {
            svg.line((left, y.at(rule)), (right, y.at(rule)), "one");
        }
        svg.line((left, bottom), (right, bottom), "base");
        svg.text((right, bottom + 34.0), "lab", "end", &self.x_label);
        let above = if self.zones.is_empty() { head - 9.0 } else { top - 7.0 };
        svg.text((0.0, above), "lab", "start", &self.y_label);
    }

    /// Names at the ends of lines, pushed apart where lines end together.
    fn end_labels(&self, svg: &mut Svg, y: &Axis, right: f64) {
        let mut ends: Vec<(f64, &Series)> =
            self.series.iter().filter_map(|s| s.points.last().map(|p| (y.at(p.1), s))).collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut least, bottom) = (f64::NEG_INFINITY, y.at(y.min));
        for (at, _) in &mut ends {
            *at = at.max(least);
            least = *at + 16.0;
        }
        let over = ends.last().map_or(0.0, |(at, _)| (at - bottom).max(0.0));
        for (at, series) in ends {
            let at = at - over;
            svg.stroke(&[(right + 8.0, at), (right + 26.0, at)], series.style, "s");
            if series.marks {
                svg.marker((right + 17.0, at), series.style, 3.5, None);
            }
            svg.text((right + 32.0, at + 4.0), "lab", "start", &short(&series.label, 17));
        }
    }
}

/// Along the upper side and back along the lower.
fn outline(area: &[(f64, f64, f64)], x: &Axis, y: &Axis) -> String {
    let mut d = String::new();
    for (k, (at, _, high)) in area.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = write!(d, "{}{:.1} {:.1}", if k == 0 { "M" } else { "L" }, x.at(*at), y.at(*high));
    }
    for (at, low, _) in area.iter().rev() {
        let _ = write!(d, "L{:.1} {:.1}", x.at(*at), y.at(*low));
    }
    d.push('z');
    d
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::WIDE;

    #[test]
    fn there_is_nothing_between_two_rounds() {
        let points = (0..3).map(|round| (f64::from(round), 0.3)).collect();
        let series = vec![Series { points, ..Series::default() }];
        let svg = Lines { series, ..Lines::default() }.draw(WIDE);
        for round in [">0</text>", ">1</text>", ">2</text>"] {
            assert!(svg.contains(round), "{round} is missing in {svg}");
        }
        assert!(!svg.contains(">2.00<") && !svg.contains(">0.50<"), "{svg}");
    }
}
