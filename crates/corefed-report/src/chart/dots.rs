//! Utilities by agent: a mark per model, a tick for alone, a ring for the best coalition.

use super::Axis;
use super::axis::{tick_label, tick_step};
use super::svg::{Key, Svg, ring};
use crate::html::{number, short};

/// One agent.
pub(crate) struct Row {
    pub(crate) name: String,
    /// By model.
    pub(crate) values: Vec<Option<f64>>,
    pub(crate) alone: Option<f64>,
    pub(crate) best: Option<f64>,
}

/// Agents under one another, worst first.
pub(crate) struct Dots {
    pub(crate) label: String,
    pub(crate) models: Vec<String>,
    pub(crate) rows: Vec<Row>,
}

impl Dots {
    pub(crate) fn draw(&self, width: f64) -> String {
        let mut svg = Svg::new(width, &self.label);
        let narrow = svg.is_narrow();
        let mut keys: Vec<(Key, String)> = self
            .models
            .iter()
            .enumerate()
            .map(|(k, name)| (Key::Marker(k), short(name, 30)))
            .collect();
        if self.rows.iter().any(|row| row.alone.is_some()) {
            keys.push((Key::Tick, "alone, with a model of its own".to_owned()));
        }
        if self.rows.iter().any(|row| row.best.is_some()) {
            keys.push((Key::Ring, "in its best group".to_owned()));
        }
        let head = svg.legend(0.0, &keys) + 8.0;
        let step = if narrow { 44.0 } else { 32.0 };
        let (left, right) = if narrow { (4.0, width - 46.0) } else { (170.0, width - 64.0) };
        let values = self.rows.iter().flat_map(|row| {
            row.values.iter().copied().chain([row.alone, row.best]).flatten().collect::<Vec<_>>()
        });
        let axis = Axis::around(values, left, right).with_zero().with_air(0.03);
        let bottom = head + step * self.rows.len() as f64;
        let ticks = axis.ticks(if narrow { 4 } else { 7 });
        let gap = tick_step(&axis, &ticks);
        for tick in &ticks {
            let x = axis.at(*tick);
            svg.line((x, head), (x, bottom), if *tick == 0.0 { "base" } else { "grid" });
            svg.text((x, bottom + 17.0), "num", "middle", &tick_label(*tick, gap));
        }
        for (k, row) in self.rows.iter().enumerate() {
            let y = head + step * k as f64 + if narrow { 28.0 } else { step / 2.0 };
            self.row(&mut svg, &axis, row, y);
        }
        svg.text((f64::midpoint(left, right), bottom + 36.0), "lab", "middle", "utility");
        svg.height = bottom + 44.0;
        svg.finish()
    }

    fn row(&self, svg: &mut Svg, axis: &Axis, row: &Row, y: f64) {
        if svg.is_narrow() {
            svg.text((4.0, y - 12.0), "name", "start", &short(&row.name, 34));
        } else {
            svg.text((156.0, y + 4.0), "name", "end", &short(&row.name, 22));
        }
        let known = || row.values.iter().flatten().copied();
        let least = known().fold(f64::INFINITY, f64::min);
        let most = known().chain(row.alone).fold(f64::NEG_INFINITY, f64::max);
        if least <= most {
            svg.line((axis.at(least), y), (axis.at(most), y), "span");
        }
        if let Some(alone) = row.alone {
            let x = axis.at(alone);
            let tip = format!("{} alone: {}", row.name, number(alone));
            svg.path(&format!("M{x:.1} {:.1}V{:.1}", y - 9.0, y + 9.0), "tick", Some(&tip));
        }
        // The first model lies on top: the page is about it.
        for (k, value) in row.values.iter().enumerate().rev() {
            let Some(value) = value else { continue };
            let tip = format!("{}, {}: {}", row.name, self.models[k], number(*value));
            svg.marker((axis.at(*value), y), k, 5.0, Some(&tip));
        }
        if let Some(best) = row.best {
            let tip = format!("{} in its best group: {}", row.name, number(best));
            svg.path(&ring((axis.at(best), y), 8.0), "ring", Some(&tip));
        }
        if let Some(Some(value)) = row.values.first() {
            svg.text((svg.width, y + 4.0), "num", "end", &number(*value));
        }
    }
}

/// Quantiles of many agents, a strip per model.
pub(crate) struct Strip {
    pub(crate) label: String,
    /// Name, and lowest, quarter, median, three quarters and highest value.
    pub(crate) rows: Vec<(String, [f64; 5])>,
}

impl Strip {
    pub(crate) fn draw(&self, width: f64) -> String {
        let mut svg = Svg::new(width, &self.label);
        let narrow = svg.is_narrow();
        let step = if narrow { 48.0 } else { 36.0 };
        let (left, right) = if narrow { (4.0, width - 46.0) } else { (170.0, width - 64.0) };
        let head = svg.legend(
            0.0,
            &[(Key::Area("box"), "middle half".to_owned()), (Key::Tick, "median".to_owned())],
        ) + 4.0;
        let values = self.rows.iter().flat_map(|(_, q)| *q);
        let axis = Axis::around(values, left, right).with_zero().with_air(0.03);
        let bottom = head + step * self.rows.len() as f64;
        let ticks = axis.ticks(if narrow { 4 } else { 7 });
        let gap = tick_step(&axis, &ticks);
        for tick in &ticks {
            let x = axis.at(*tick);
            svg.line((x, head), (x, bottom), if *tick == 0.0 { "base" } else { "grid" });
            svg.text((x, bottom + 17.0), "num", "middle", &tick_label(*tick, gap));
        }
        for (k, (name, q)) in self.rows.iter().enumerate() {
            let y = head + step * k as f64 + if narrow { 32.0 } else { step / 2.0 };
            if narrow {
                svg.text((4.0, y - 14.0), "name", "start", &short(name, 34));
            } else {
                svg.text((156.0, y + 4.0), "name", "end", &short(name, 22));
            }
            let x = q.map(|value| axis.at(value));
            svg.line((x[0], y), (x[4], y), "span");
            svg.line((x[0], y - 5.0), (x[0], y + 5.0), "span");
            svg.line((x[4], y - 5.0), (x[4], y + 5.0), "span");
            svg.rect((x[1], y - 8.0, x[3] - x[1], 16.0), "box");
            svg.line((x[2], y - 9.0), (x[2], y + 9.0), "tick");
            svg.text((width, y + 4.0), "num", "end", &number(q[2]));
        }
        svg.text((f64::midpoint(left, right), bottom + 36.0), "lab", "middle", "utility");
        svg.height = bottom + 44.0;
        svg.finish()
    }
}
