//! Tables that belong together, with what they say in words.

use std::fmt::Write;
use std::path::Path;

use corefed_core::one_line;
use corefed_log::write_entry;

use crate::markdown::escape;
use crate::{Grid, ReportError, TableFormat};

/// Tables that belong together, at least one.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// The first is the main one.
    pub parts: Vec<TablePart>,
}

/// One table of several.
#[derive(Clone, Debug, Default)]
pub struct TablePart {
    /// What its files are called behind the name of all; empty for the main one.
    pub name: &'static str,
    /// As a heading; empty for the main one.
    pub title: &'static str,
    /// Whether it is only in files of its own: too long to read.
    pub aside: bool,
    /// What it says, a sentence each.
    pub said: Vec<String>,
    /// Its rows.
    pub grid: Grid,
}

impl From<Grid> for Tables {
    fn from(grid: Grid) -> Self {
        Self { parts: vec![TablePart { grid, ..TablePart::default() }] }
    }
}

impl Tables {
    /// Everything in one text; of CSV and LaTeX, which have no headings, the main table.
    pub fn to_format(&self, format: TableFormat) -> Result<String, ReportError> {
        let mut whole = String::new();
        for (k, part) in self.parts.iter().enumerate() {
            let grid = part.grid.to_format(format)?;
            match format {
                _ if part.aside => {}
                TableFormat::Csv | TableFormat::Latex if k > 0 => break,
                TableFormat::Csv | TableFormat::Latex => whole.push_str(&grid),
                TableFormat::Text => part.add(&mut whole, "", &grid, str::to_owned),
                TableFormat::Markdown => part.add(&mut whole, "## ", &grid, escape),
            }
        }
        Ok(whole)
    }

    /// Writes everything into a folder: one text, one Markdown, and every table as CSV and LaTeX.
    pub fn save(&self, folder: &Path, name: &str) -> Result<(), ReportError> {
        for (format, ending) in [(TableFormat::Text, "txt"), (TableFormat::Markdown, "md")] {
            write_entry(folder.join(format!("{name}.{ending}")), self.to_format(format)?)?;
        }
        for part in &self.parts {
            let dash = if part.name.is_empty() { "" } else { "-" };
            for (format, ending) in [(TableFormat::Csv, "csv"), (TableFormat::Latex, "tex")] {
                let path = folder.join(format!("{name}{dash}{}.{ending}", part.name));
                write_entry(path, part.grid.to_format(format)?)?;
            }
        }
        Ok(())
    }
}

impl TablePart {
    fn add(&self, whole: &mut String, mark: &str, grid: &str, plain: impl Fn(&str) -> String) {
        // Writing to a String cannot fail.
        if !self.title.is_empty() {
            let _ = write!(whole, "\n{mark}{}\n\n", self.title);
        }
        for sentence in &self.said {
            let _ = write!(whole, "{}\n\n", plain(&one_line(sentence)));
        }
        whole.push_str(grid);
    }
}
