//! Results as files: tables, a page, figures and the numbers behind them.

use std::fs;
use std::path::Path;

use corefed_documents::to_json;
use corefed_log::write_file;
use serde::Serialize;

use crate::judge::Row;
use crate::outcome::Exploded;
use crate::results::Results;
use crate::{ReproduceError, markdown, page};

/// `results.json`.
#[derive(Serialize)]
struct Document<'a> {
    experiment: &'static str,
    version: &'static str,
    device: &'a str,
    agents: &'a [String],
    printed_fedavg: &'static [f64],
    printed_corefed: &'static [f64],
    rows: &'a [Row],
    exploded: &'a [Exploded],
}

impl Results<'_> {
    /// Writes everything that is worth keeping; trainings are below `runs`.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), ReproduceError> {
        let figures = folder.join("figures");
        fs::create_dir_all(&figures)
            .map_err(|source| ReproduceError::Create { path: figures.clone(), source })?;
        write_file(folder.join("spec.toml"), self.spec.to_toml())?;
        let [printed_fedavg, printed_corefed] = self.experiment.printed;
        let document = Document {
            experiment: self.experiment.preset,
            version: env!("CARGO_PKG_VERSION"),
            device: &self.device,
            agents: &self.agents,
            printed_fedavg,
            printed_corefed,
            rows: &self.rows,
            exploded: &self.exploded,
        };
        write_file(folder.join("results.json"), &to_json(&document)?)?;
        write_file(folder.join("README.md"), markdown::document(self))?;
        let page = page::page(self);
        write_file(folder.join("report.html"), corefed_report::render(&page))?;
        for figure in corefed_report::figures(&page) {
            write_file(figures.join(format!("{}.svg", figure.name)), &figure.svg)?;
        }
        Ok(())
    }

    /// The main table, for the terminal.
    pub(crate) fn text(&self) -> String {
        let ceiling = self.experiment.ceilings[0];
        let title = self.experiment.title;
        format!("{title}, ceiling {ceiling}\n{}", markdown::main_table(self, ceiling).to_text())
    }
}
