//! Values side by side, equally wide, each in the colour of its answer.

use super::svg::Svg;
use crate::html::short;

/// One value.
pub(crate) struct Step {
    pub(crate) value: String,
    /// The answer in a word.
    pub(crate) word: &'static str,
    /// Class of its area.
    pub(crate) class: &'static str,
    /// What is said when it is pointed at.
    pub(crate) tip: String,
}

/// All of them, in order. Where answers change is what matters, not how far apart values lie.
pub(crate) struct Steps {
    pub(crate) label: String,
    pub(crate) x_label: String,
    pub(crate) values: Vec<Step>,
}

const HEIGHT: f64 = 74.0;

impl Steps {
    pub(crate) fn draw(&self, width: f64) -> String {
        let mut svg = Svg::new(width, &self.label);
        let each = width / self.values.len().max(1) as f64;
        for (k, step) in self.values.iter().enumerate() {
            let x = each * k as f64;
            svg.rect((x, 0.0, each - 2.0, HEIGHT), step.class);
            let area = format!("M{x:.1} 0h{:.1}v{HEIGHT}h-{:.1}z", each - 2.0, each - 2.0);
            svg.path(&area, "touch", Some(&step.tip));
        }
        let mut from = 0;
        while from < self.values.len() {
            let word = self.values[from].word;
            let same = self.values[from..].iter().take_while(|step| step.word == word).count();
            let middle = each * (from as f64 + same as f64 / 2.0);
            // A word that does not fit is told by the mark and the list below.
            if each * same as f64 > 7.2 * word.len() as f64 {
                svg.text((middle, HEIGHT / 2.0 + 4.0), "strong", "middle", word);
            }
            from += same;
        }
        // As few values without a label as leave room for the others.
        let wide = 6.8 * self.longest() as f64 + 8.0;
        let skip = (1..self.values.len()).find(|skip| each * *skip as f64 >= wide);
        let skip = skip.unwrap_or(self.values.len().max(1));
        for (k, step) in self.values.iter().enumerate().step_by(skip) {
            let x = each * (k as f64 + 0.5) - 1.0;
            svg.text((x, HEIGHT + 18.0), "num", "middle", &short(&step.value, 14));
        }
        svg.text((width / 2.0, HEIGHT + 38.0), "lab", "middle", &self.x_label);
        svg.height = HEIGHT + 46.0;
        svg.finish()
    }

    fn longest(&self) -> usize {
        self.values.iter().map(|step| step.value.chars().count().min(14)).max().unwrap_or(1)
    }
}
