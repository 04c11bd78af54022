//! What an experiment came to: tables, a page, figures and the numbers behind them.

use std::fs;
use std::path::Path;

use corefed_spec::Spec;
use serde::Serialize;

use crate::ReproduceError;
use crate::experiment::{Experiment, trained};
use crate::judge::Row;
use crate::trainings::Training;
use crate::{markdown, page};
use corefed_documents::to_json;
use corefed_log::write_file;

/// An experiment with all its rows.
pub(crate) struct Results<'a> {
    pub(crate) experiment: &'a Experiment,
    pub(crate) spec: &'a Spec,
    pub(crate) agents: Vec<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) exploded: Vec<Exploded>,
    /// Where networks were computed.
    pub(crate) device: String,
}

/// A training that could not be completed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Exploded {
    pub(crate) training: String,
    pub(crate) seed: u64,
    pub(crate) failure: String,
}

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
    /// The rows under a ceiling, of one rule.
    pub(crate) fn of(&self, rule: &str, ceiling: f64) -> Vec<&Row> {
        self.rows.iter().filter(|row| row.rule == rule && row.ceiling == ceiling).collect()
    }

    /// Labels of the rules, in the order of the spec.
    pub(crate) fn rules(&self) -> Vec<&str> {
        let rules = self.spec.compare.as_ref().map_or(&[][..], |compare| &compare.rules);
        rules.iter().map(|contender| contender.label.as_str()).collect()
    }

    /// Writes everything that is worth keeping; trainings are below `runs`.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), ReproduceError> {
        let figures = folder.join("figures");
        fs::create_dir_all(&figures)
            .map_err(|source| ReproduceError::Create { path: figures.clone(), source })?;
        write_file(folder.join("spec.toml"), &self.spec.to_toml())?;
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
        write_file(folder.join("README.md"), &markdown::document(self))?;
        let page = page::page(self);
        write_file(folder.join("report.html"), &corefed_report::render(&page))?;
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

/// For convex losses: every rule anew under every ceiling, because every model is audited exactly.
pub(crate) fn under_every_ceiling(spec: &Spec, ceilings: &[f64], seed: u64) -> Vec<Training> {
    let rules = spec.compare.as_ref().map_or(&[][..], |compare| &compare.rules);
    let under = |ceiling: &f64| {
        let ceiling = *ceiling;
        rules.iter().map(move |contender| Training {
            name: format!("{} (M = {ceiling})", contender.label),
            folder: format!("{}-M-{ceiling}-seed-{seed}", contender.label),
            spec: trained(spec, contender, ceiling, seed),
            // Everybody, so no training is guessed to take longer than another.
            members: 0,
            row: Some((contender.label.clone(), Some(ceiling))),
        })
    };
    ceilings.iter().flat_map(under).collect()
}
