//! Every chart as a picture of its own: SVG to edit, PNG to show, PDF for LaTeX.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use corefed_log::write_entry;
use resvg::{tiny_skia, usvg};

use crate::{Page, ReportError, figures};

/// Pixels of a PNG per unit of its SVG: 300 dots per inch at a width of 16 cm.
const SCALE: f32 = 2.5;
/// What text is set in, best first: the sans of LaTeX, then its nearest relatives, then what most
/// machines have. The style sheet of a figure names the same.
const FAMILIES: [&str; 8] = [
    "Latin Modern Sans",
    "LM Sans 10",
    "CMU Sans Serif",
    "TeX Gyre Heros",
    "Helvetica",
    "Arial",
    "Liberation Sans",
    "DejaVu Sans",
];

/// What was written.
pub struct Written {
    /// How many charts.
    pub figures: usize,
    /// The family text was set in; absent where the machine has no font, and then there is SVG only.
    pub family: Option<String>,
}

impl std::fmt::Display for Written {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.family {
            Some(family) => write!(f, "as SVG, PNG and PDF, set in {family}"),
            None => f.write_str("as SVG only: this machine has no font for PNG and PDF"),
        }
    }
}

/// Writes each chart in every format.
pub fn write_figures(page: &Page, out: &Path) -> Result<Written, ReportError> {
    fs::create_dir_all(out)
        .map_err(|source| ReportError::Create { path: out.to_owned(), source })?;
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_system_fonts();
    let family = family(&fonts);
    fonts.set_sans_serif_family(family.clone().unwrap_or_default());
    let options = usvg::Options { fontdb: Arc::new(fonts), ..usvg::Options::default() };
    let all = figures(page);
    for figure in &all {
        let path = |ending: &str| out.join(format!("{}.{ending}", figure.name));
        write_entry(path("svg"), &figure.svg)?;
        if family.is_none() {
            continue;
        }
        let failed = |reason: String| ReportError::Draw { figure: figure.name.clone(), reason };
        let tree =
            usvg::Tree::from_str(&figure.svg, &options).map_err(|e| failed(e.to_string()))?;
        write_entry(path("png"), &png(&tree).map_err(failed)?)?;
        let pdf = svg2pdf::to_pdf(
            &tree,
            svg2pdf::ConversionOptions::default(),
            // A unit of SVG is three quarters of a point.
            svg2pdf::PageOptions { dpi: 96.0 },
        );
        write_entry(path("pdf"), &pdf.map_err(|error| failed(error.to_string()))?)?;
    }
    Ok(Written { figures: all.len(), family })
}

/// The best family that the machine has.
fn family(fonts: &usvg::fontdb::Database) -> Option<String> {
    let has = |name: &str| {
        fonts.faces().any(|face| face.families.iter().any(|(family, _)| family == name))
    };
    let best = FAMILIES.into_iter().find(|name| has(name)).map(str::to_owned);
    best.or_else(|| fonts.faces().next().and_then(|face| Some(face.families.first()?.0.clone())))
}

fn png(tree: &usvg::Tree) -> Result<Vec<u8>, String> {
    let size = tree.size().to_int_size().scale_by(SCALE).ok_or("it is empty")?;
    let mut pixels =
        tiny_skia::Pixmap::new(size.width(), size.height()).ok_or("it is too large")?;
    pixels.fill(tiny_skia::Color::WHITE);
    let scale = tiny_skia::Transform::from_scale(SCALE, SCALE);
    resvg::render(tree, scale, &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}
