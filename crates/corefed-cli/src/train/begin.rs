//! A training begins.

use std::path::Path;

use corefed_data::Seed;
use corefed_log::RunFolder;
use corefed_sim::{Engine, Outcome};
use corefed_spec::{NetworkSpec, Spec, Train};

use super::conclude::Finding;
use super::header::{header, linear, linear_tensors, network_tensors, terms_of_table};
use super::image_case::ImageCase;
use super::network_audit::Audited;
use super::prepare::{FEDERATION, prepare};
use super::prepared::Prepared;
use super::session::{Place, Talk, Trained, session};
use crate::commands::to_json;
use crate::failure::Failure;
use crate::spec::seen_from;

/// Name of the file with labels by agent, where the folder does not hold the rows.
pub(crate) const LABELS: &str = "labels.json";

/// Trains from the beginning into a new folder.
pub(crate) fn train(spec: &Spec, path: &Path, talk: Talk<'_>) -> Result<Trained, Failure> {
    train_on(spec, &mut prepare(spec)?, path, talk)
}

/// The same on data that are prepared already.
pub(crate) fn train_on(
    spec: &Spec,
    prepared: &mut Prepared,
    path: &Path,
    talk: Talk<'_>,
) -> Result<Trained, Failure> {
    let training = training(spec)?;
    let written = seen_from(spec, path);
    prepared.name_data(&written);
    let header = header(&written, training, prepared);
    let partition = prepared.partition().map(corefed_data::PartitionFile::to_json);
    let create = || -> Result<Place, Failure> {
        let text = written.to_toml();
        Ok((RunFolder::create(path, &header, &text, partition.as_deref())?, None))
    };
    run(spec, training, prepared, create, talk)
}

pub(super) fn training(spec: &Spec) -> Result<&Train, Failure> {
    spec.train.as_ref().ok_or_else(|| {
        Failure::new(format!("`{}` has no `[train]`", spec.name))
            .hint("add `[train]` with a `rule`, or use `corefed run` to solve it exactly")
    })
}

impl Prepared {
    /// Calls a file of the user's as the spec in the run's folder does, wherever that is run from.
    pub(super) fn name_data(&mut self, written: &Spec) {
        match self {
            Self::Table(run) if run.csv.is_none() => run.case.file = written.data.to_string(),
            _ => {}
        }
    }

    fn partition(&self) -> Option<&corefed_data::PartitionFile> {
        match self {
            Self::Table(run) => run.partition.as_deref(),
            _ => self.images()?.partition.as_deref(),
        }
    }

    fn csv(&self) -> Option<&str> {
        match self {
            Self::Table(run) => run.csv.as_deref(),
            _ => None,
        }
    }
}

/// Labels by agent, for readers that do not have the images.
fn labels(images: &ImageCase) -> Result<String, Failure> {
    let classes: Vec<String> = (0..images.classes).map(|class| class.to_string()).collect();
    to_json(&serde_json::json!({ "classes": classes, "counts": images.labels }))
}

/// Trains where `open` says, which is asked only when nothing is left that could be refused.
pub(super) fn run(
    spec: &Spec,
    train: &Train,
    prepared: &Prepared,
    open: impl FnOnce() -> Result<Place, Failure>,
    talk: Talk<'_>,
) -> Result<Trained, Failure> {
    let place = || -> Result<Place, Failure> {
        let place = open()?;
        // Also when going on: the process before may have been killed in between.
        if let Some(csv) = prepared.csv() {
            place.0.write(FEDERATION, csv)?;
        }
        if let Some(images) = prepared.images() {
            place.0.write(LABELS, &labels(images)?)?;
        }
        Ok(place)
    };
    match prepared {
        Prepared::Table(table) => {
            let federation = linear(table);
            let terms = terms_of_table(table);
            let losses = table.case.losses();
            let seed = Seed(spec.seed).derive("train");
            let mut engine = Engine::new(&federation, Some(&*losses), &terms, train, seed)?;
            let blocks = table.case.family.blocks(table.case.encoding.classes.len());
            let tensors = |params: &[f64]| linear_tensors(params, blocks, spec.intercept);
            let limits = (spec.tolerance, spec.time_limit);
            let rule = train.rule.label();
            let audit = |params: &[f64], last: &Outcome| {
                Finding::of_table(table, &rule, params, &terms, last, limits)
            };
            session(&mut engine, train, place()?, talk, &tensors, &audit)
        }
        Prepared::Images(images) => {
            let terms = images.case.terms(spec.radius);
            let seed = Seed(spec.seed).derive("train");
            let mut engine = Engine::new(&*images.federation, None, &terms, train, seed)?;
            let tensors = |params: &[f32]| linear_tensors(params, images.case.classes, true);
            let audit =
                |_: &[f32], last: &Outcome| Finding::of_bounds(&last.round, &terms, spec.tolerance);
            session(&mut engine, train, place()?, talk, &tensors, &audit)
        }
        Prepared::Network(run) => {
            let Some(NetworkSpec { audit: settings, .. }) = spec.model.network() else {
                return Err(Failure::new("the spec has no network"));
            };
            let terms = run.case.terms(spec.radius);
            let seed = Seed(spec.seed).derive("train");
            let mut engine = Engine::new(&*run.federation, None, &terms, train, seed)?;
            let network = run.federation.network();
            let tensors = |params: &[f32]| network_tensors(network, params);
            let audited = Audited {
                federation: &run.federation,
                terms: &terms,
                train,
                settings,
                seed,
                tolerance: spec.tolerance,
            };
            let audit = |params: &[f32], last: &Outcome| {
                Finding::of_network(&last.round, &terms, spec.tolerance, audited.audit(params))
            };
            session(&mut engine, train, place()?, talk, &tensors, &audit)
        }
    }
}
