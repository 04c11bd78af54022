//! Several runs in one folder: a comparison, or a sweep.

use std::path::Path;

use corefed_documents::Document;

use crate::plain::{shown_path, word};
use crate::{ReportError, TableFormat, Tables};

/// What a command that made several runs shows of them.
pub struct Several<'a> {
    /// Where they are.
    pub folder: &'a Path,
    /// What the folder holds, in words.
    pub contents: &'a str,
    /// Their page.
    pub page: &'a Path,
    /// JSON where no format is asked for.
    pub format: Option<TableFormat>,
}

impl Several<'_> {
    /// The document, or its tables as asked for; a person is told where everything is, too.
    pub fn show(&self, document: &impl Document, tables: &Tables) -> Result<String, ReportError> {
        match self.format {
            None => Ok(document.to_json()?),
            Some(TableFormat::Text) => Ok(format!(
                "{}\nwritten to {}/: {}\nreport: {}\n",
                tables.to_format(TableFormat::Text)?,
                shown_path(self.folder),
                self.contents,
                shown_path(self.page)
            )),
            Some(format) => tables.to_format(format),
        }
    }
}

/// How several trainings that were stopped continue.
#[must_use]
pub fn stopped(folder: &Path) -> String {
    format!(
        "stopped; the trainings so far are kept; resume with the same command and: --out {} --resume",
        word(folder)
    )
}

/// Which losses a choice among the models of a folder goes by.
#[must_use]
pub fn chosen_by(held_out: bool, seeds: usize, file: &Path) -> String {
    let rows = if held_out { "held-out rows" } else { "training rows" };
    let mean = match seeds {
        1 => String::new(),
        seeds => format!(", means over {seeds} seeds"),
    };
    format!("losses on {rows}{mean}: {}\n\n", shown_path(file))
}
