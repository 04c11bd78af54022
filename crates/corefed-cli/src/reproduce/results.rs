//! What an experiment came to: tables, a page, figures and the numbers behind them.

use std::fs;
use std::path::Path;

use corefed_spec::Spec;
use serde::Serialize;

use super::experiment::{Experiment, trained};
use super::judge::Row;
use super::trainings::Training;
use super::{markdown, page};
use crate::commands::to_json;
use crate::failure::Failure;
use crate::files;

/// An experiment with all its rows.
pub(super) struct Results<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) spec: &'a Spec,
    pub(super) agents: Vec<String>,
    pub(super) rows: Vec<Row>,
    pub(super) exploded: Vec<Exploded>,
    /// Where networks were computed.
    pub(super) device: String,
}

/// A training that could not be completed.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Exploded {
    pub(super) training: String,
    pub(super) seed: u64,
    pub(super) failure: String,
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
    pub(super) fn of(&self, rule: &str, ceiling: f64) -> Vec<&Row> {
        self.rows.iter().filter(|row| row.rule == rule && row.ceiling == ceiling).collect()
    }

    /// Labels of the rules, in the order of the spec.
    pub(super) fn rules(&self) -> Vec<&str> {
        let rules = self.spec.compare.as_ref().map_or(&[][..], |compare| &compare.rules);
        rules.iter().map(|contender| contender.label.as_str()).collect()
    }

    /// Writes everything that is worth keeping; trainings are below `runs`.
    pub(super) fn write(&self, folder: &Path) -> Result<(), Failure> {
        let figures = folder.join("figures");
        fs::create_dir_all(&figures).map_err(|error| Failure::file("create", &figures, &error))?;
        files::write(&folder.join("spec.toml"), &self.spec.to_toml())?;
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
        files::write(&folder.join("results.json"), &to_json(&document)?)?;
        files::write(&folder.join("README.md"), &markdown::document(self))?;
        let page = page::page(self);
        files::write(&folder.join("report.html"), &corefed_report::render(&page))?;
        for figure in corefed_report::figures(&page) {
            files::write(&figures.join(format!("{}.svg", figure.name)), &figure.svg)?;
        }
        Ok(())
    }

    /// The main table, for the terminal.
    pub(super) fn text(&self) -> String {
        let ceiling = self.experiment.ceilings[0];
        let title = self.experiment.title;
        format!("{title}, ceiling {ceiling}\n{}", markdown::main_table(self, ceiling).to_text())
    }
}

/// For convex losses: every rule anew under every ceiling, because every model is audited exactly.
pub(super) fn under_every_ceiling(spec: &Spec, ceilings: &[f64], seed: u64) -> Vec<Training> {
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
