//! Labels by agent, with how many rows each one has.

use super::svg::Svg;
use crate::html::percent;
use crate::html::{short, whole};

/// Agents and classes drawn at most: beyond it cells would vanish.
const MOST_AGENTS: usize = 60;
const MOST_CLASSES: usize = 30;

/// One row per agent: a cell per class, and a bar for its size.
pub(crate) struct Heat<'a> {
    pub(crate) label: String,
    pub(crate) agents: Vec<&'a str>,
    pub(crate) samples: Vec<usize>,
    pub(crate) classes: &'a [String],
    pub(crate) counts: &'a [Vec<usize>],
}

impl Heat<'_> {
    /// How many agents are left out.
    pub(crate) fn hidden(&self) -> usize {
        self.agents.len().saturating_sub(MOST_AGENTS)
    }

    pub(crate) fn draw(&self, width: f64) -> String {
        let mut svg = Svg::new(width, &self.label);
        let narrow = svg.is_narrow();
        let classes = self.classes.len().min(MOST_CLASSES);
        let left = if narrow { 84.0 } else { 156.0 };
        let bars = if narrow { 92.0 } else { 190.0 };
        let room = width - left - bars;
        let cell = if classes == 0 { 0.0 } else { (room / classes as f64).min(56.0) };
        let most = self.samples.iter().copied().max().unwrap_or(1).max(1) as f64;
        let slanted = self.classes.iter().any(|c| 7.0 * c.chars().count() as f64 > cell);
        let top = if classes == 0 {
            22.0
        } else if slanted {
            74.0
        } else {
            26.0
        };
        let step = 28.0;
        let bar = left + cell * classes as f64 + 14.0;
        for (k, class) in self.classes.iter().take(classes).enumerate() {
            let x = left + cell * (k as f64 + 0.5);
            if slanted {
                let y = top - 8.0;
                svg.slanted((x, y), &short(class, 14));
            } else {
                svg.text((x, top - 9.0), "lab", "middle", class);
            }
        }
        svg.text((bar, top - 9.0), "lab", "start", "rows");
        for (row, name) in self.agents.iter().take(MOST_AGENTS).enumerate() {
            let y = top + step * row as f64;
            let shown = short(name, if narrow { 11 } else { 21 });
            svg.text((left - 10.0, y + 18.0), "name", "end", &shown);
            let counts = self.counts.get(row).map_or(&[][..], Vec::as_slice);
            let total = counts.iter().sum::<usize>().max(1) as f64;
            for (k, count) in counts.iter().take(classes).enumerate() {
                let share = *count as f64 / total;
                let x = left + cell * k as f64;
                let tip = format!(
                    "{name}, {}: {} rows, {}",
                    self.classes[k],
                    whole(*count),
                    percent(share)
                );
                svg.cell((x + 1.0, y + 1.0, cell - 2.0, step - 2.0), 0.06 + 0.68 * share, &tip);
                if cell >= 34.0 {
                    svg.text((x + cell / 2.0, y + 18.0), "on", "middle", &percent(share));
                }
            }
            let samples = self.samples.get(row).copied().unwrap_or_default();
            let length = (width - bar - 56.0) * samples as f64 / most;
            svg.rect((bar, y + 8.0, length.max(1.0), 12.0), "size");
            svg.text((bar + length + 6.0, y + 18.0), "num", "start", &whole(samples));
        }
        svg.height = top + step * self.agents.len().min(MOST_AGENTS) as f64 + 8.0;
        svg.finish()
    }
}
