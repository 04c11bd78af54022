//! The pen: a few shapes with classes, and a legend.

use std::fmt::Write;

use crate::html::escape;

/// Width of a chart on a desk, in CSS pixels.
pub(crate) const WIDE: f64 = 760.0;
/// Width of a chart on a phone.
pub(crate) const NARROW: f64 = 312.0;
/// How many series can be told apart.
pub(crate) const STYLES: usize = 8;
/// Dashes of the series, beside their colours.
const DASHES: [&str; STYLES] = ["", "7 4", "2 4", "9 3 2 3", "", "7 4", "2 4", "9 3 2 3"];
/// Width of a character at 12 pixels, about.
const CHARACTER: f64 = 6.6;

/// An SVG being drawn.
pub(crate) struct Svg {
    pub(crate) width: f64,
    pub(crate) height: f64,
    label: String,
    attributes: String,
    body: String,
}

impl Svg {
    /// A picture with a description for those who do not see it.
    pub(crate) fn new(width: f64, label: &str) -> Self {
        Self {
            width,
            height: 0.0,
            label: label.to_owned(),
            attributes: String::new(),
            body: String::new(),
        }
    }

    pub(crate) fn is_narrow(&self) -> bool {
        self.width < 500.0
    }

    /// Something that the page's script reads.
    pub(crate) fn attribute(&mut self, name: &str, value: &str) {
        // Writing to a String cannot fail.
        let _ = write!(self.attributes, " data-{name}=\"{}\"", escape(value));
    }

    /// Text at a baseline; `anchor` is `start`, `middle` or `end`.
    pub(crate) fn text(&mut self, (x, y): (f64, f64), class: &str, anchor: &str, text: &str) {
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
            escape(text)
        );
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        let _ = writeln!(
            self.body,
            "<path class=\"{class}\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
            from.0, from.1, to.0, to.1
        );
    }

    pub(crate) fn rect(&mut self, (x, y, w, h): (f64, f64, f64, f64), class: &str) {
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            w.max(0.0),
            h.max(0.0)
        );
    }

    /// Anything, with what to say when it is pointed at.
    pub(crate) fn path(&mut self, d: &str, class: &str, tip: Option<&str>) {
        let _ = match tip {
            Some(tip) => {
                writeln!(
                    self.body,
                    "<path class=\"{class}\" d=\"{d}\" data-t=\"{}\"/>",
                    escape(tip)
                )
            }
            None => writeln!(self.body, "<path class=\"{class}\" d=\"{d}\"/>"),
        };
    }

    /// A line of a series, in its colour and dash.
    pub(crate) fn stroke(&mut self, points: &[(f64, f64)], style: usize, class: &str) {
        let mut d = String::new();
        for (k, (x, y)) in points.iter().enumerate() {
            let _ = write!(d, "{}{x:.1} {y:.1}", if k == 0 { "M" } else { "L" });
        }
        let dash = DASHES[style % STYLES];
        let dash =
            if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
        let _ =
            writeln!(self.body, "<path class=\"{class} k{}\" d=\"{d}\"{dash}/>", style % STYLES);
    }

    /// The mark of a series, in its colour and shape.
    pub(crate) fn marker(&mut self, at: (f64, f64), style: usize, radius: f64, tip: Option<&str>) {
        self.path(&shape(at, style, radius), &format!("m f{}", style % STYLES), tip);
    }

    /// Where a legend of these labels would end, drawing it line by line from `top`.
    pub(crate) fn legend(&mut self, top: f64, items: &[(Key, String)]) -> f64 {
        let (mut x, mut y) = (0.0, top + 12.0);
        for (key, label) in items {
            let width = 26.0 + text_width(label) + 14.0;
            if x > 0.0 && x + width > self.width {
                (x, y) = (0.0, y + 20.0);
            }
            let middle = (x + 9.0, y - 4.0);
            match key {
                Key::Marker(style) => self.marker(middle, *style, 5.0, None),
                Key::Line(style) => {
                    self.stroke(&[(x, y - 4.0), (x + 20.0, y - 4.0)], *style, "s");
                }
                Key::Tick => self.line((middle.0, y - 12.0), (middle.0, y + 3.0), "tick"),
                Key::Ring => self.path(&ring(middle, 6.5), "ring", None),
                Key::Area(class) => self.rect((x, y - 10.0, 18.0, 12.0), class),
            }
            self.text((x + 26.0, y), "lab", "start", label);
            x += width;
        }
        y + 8.0
    }

    /// Draws what belongs to one series, so that the page can hide it.
    pub(crate) fn of_series(&mut self, label: &str, draw: impl FnOnce(&mut Self)) {
        let _ = writeln!(self.body, "<g data-s=\"{}\">", escape(label));
        draw(self);
        self.body.push_str("</g>\n");
    }

    /// Text that leans, for long names above narrow columns.
    pub(crate) fn slanted(&mut self, (x, y): (f64, f64), text: &str) {
        let _ = writeln!(
            self.body,
            "<text class=\"lab\" transform=\"translate({x:.1} {y:.1}) rotate(-45)\">{}</text>",
            escape(text)
        );
    }

    /// Text from top to bottom, for what is narrow.
    pub(crate) fn upright(&mut self, (x, y): (f64, f64), text: &str) {
        let _ = writeln!(
            self.body,
            "<text class=\"lab\" text-anchor=\"end\" transform=\"translate({x:.1} {y:.1}) rotate(-90)\">{}</text>",
            escape(text)
        );
    }

    /// A cell of a heat map, `share` dark.
    pub(crate) fn cell(&mut self, (x, y, w, h): (f64, f64, f64, f64), share: f64, tip: &str) {
        let _ = writeln!(
            self.body,
            "<rect class=\"heat\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" \
             fill-opacity=\"{share:.3}\" data-t=\"{}\"/>",
            escape(tip)
        );
    }

    /// The whole picture.
    pub(crate) fn finish(self) -> String {
        let Self { width, height, label, attributes, body } = self;
        format!(
            "<svg viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
             role=\"img\" aria-label=\"{}\"{attributes}>\n{body}</svg>",
            escape(&label)
        )
    }
}

/// What stands before a label in a legend.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key {
    Marker(usize),
    Line(usize),
    Tick,
    Ring,
    Area(&'static str),
}

/// Width of a label, roughly; fonts differ.
pub(crate) fn text_width(text: &str) -> f64 {
    CHARACTER * text.chars().count() as f64
}

/// An empty ring around a point.
pub(crate) fn ring((x, y): (f64, f64), r: f64) -> String {
    format!("M{:.1} {y:.1}a{r} {r} 0 1 0 {:.1} 0a{r} {r} 0 1 0 {:.1} 0z", x - r, 2.0 * r, -2.0 * r)
}

/// Circle, square, triangle, diamond, and the same with other proportions.
fn shape((x, y): (f64, f64), style: usize, r: f64) -> String {
    match style % STYLES {
        0 => ring((x, y), r),
        1 => format!(
            "M{:.1} {:.1}h{:.1}v{:.1}h{:.1}z",
            x - r * 0.9,
            y - r * 0.9,
            1.8 * r,
            1.8 * r,
            -1.8 * r
        ),
        2 => format!(
            "M{x:.1} {:.1}L{:.1} {:.1}H{:.1}z",
            y - 1.15 * r,
            x + 1.15 * r,
            y + 0.9 * r,
            x - 1.15 * r
        ),
        3 => format!(
            "M{x:.1} {:.1}L{:.1} {y:.1}L{x:.1} {:.1}L{:.1} {y:.1}z",
            y - 1.3 * r,
            x + 1.3 * r,
            y + 1.3 * r,
            x - 1.3 * r
        ),
        4 => format!(
            "M{x:.1} {:.1}L{:.1} {:.1}H{:.1}z",
            y + 1.15 * r,
            x + 1.15 * r,
            y - 0.9 * r,
            x - 1.15 * r
        ),
        5 => format!(
            "M{:.1} {:.1}h{:.1}v{:.1}h{:.1}z",
            x - r * 1.2,
            y - r * 0.5,
            2.4 * r,
            r,
            -2.4 * r
        ),
        6 => format!("M{:.1} {:.1}h{:.1}v{:.1}h{:.1}z", x - r * 0.5, y - r * 1.2, r, 2.4 * r, -r),
        _ => format!(
            "M{:.1} {y:.1}L{x:.1} {:.1}L{:.1} {y:.1}L{x:.1} {:.1}z",
            x - 0.8 * r,
            y - 1.5 * r,
            x + 0.8 * r,
            y + 1.5 * r
        ),
    }
}
