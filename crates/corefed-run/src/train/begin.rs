//! A training begins.

use std::path::Path;

use corefed_core::{Assumption, Seed, Status};
use corefed_data::PartitionFile;
use corefed_documents::{Document, FEDERATION, LABELS, Labels};
use corefed_log::{RunFolder, RunHeader};
use corefed_sim::{Engine, Federated, Outcome, Terms};
use corefed_spec::{Alone, NetworkSpec, Spec, Train};

use super::conclude::Finding;
use super::header::{header, linear_tensors, network_tensors, terms_of_table};
use super::last_record::Trained;
use super::session::{Place, Session, TrainedRun, session};
use crate::group_training::Training;
use crate::images::case::ImageCase;
use crate::linear_rows::linear;
use crate::locate::seen_from;
use crate::measure::{LinearRuler, Ruler};
use crate::network::audit::AuditedNetwork;
use crate::owner::owner;
use crate::prepare::prepare;
use crate::prepared::Prepared;
use crate::{Limits, Observer, PrepareError, RunError, Stop, TrainingError};

/// Trains from the beginning into a new folder; `data_dir` is that of [`prepare`].
pub fn train(
    spec: &Spec,
    data_dir: Option<&Path>,
    path: &Path,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<TrainedRun, RunError> {
    train_on(spec, &mut prepare(spec, data_dir)?, path, stop, observer)
}

/// The same on data that are prepared already.
pub(super) fn train_on(
    spec: &Spec,
    prepared: &mut Prepared,
    path: &Path,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<TrainedRun, RunError> {
    let training = training(spec)?;
    let written = seen_from(spec, path);
    prepared.name_data(&written);
    let header = header(&written, training, prepared);
    let partition = prepared.partition().map(PartitionFile::to_json);
    let create = || -> Result<Place, RunError> {
        let text = written.to_toml();
        Ok((RunFolder::create(path, &header, &text, partition.as_deref())?, None))
    };
    run(spec, training, prepared, create, stop, observer)
}

pub(super) fn training(spec: &Spec) -> Result<&Train, RunError> {
    let none = || TrainingError::NoTraining { spec: spec.name.clone() };
    Ok(spec.train.as_ref().ok_or_else(none)?)
}

impl Prepared {
    /// Calls a file of the user's as the spec in the run's folder does, wherever that is run from.
    pub(super) fn name_data(&mut self, written: &Spec) {
        match self {
            Self::Table(run) if run.csv.is_none() => run.case.file = written.data.to_string(),
            _ => {}
        }
    }

    fn partition(&self) -> Option<&PartitionFile> {
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
fn labels(images: &ImageCase) -> Labels {
    let classes = (0..images.classes).map(|class| class.to_string()).collect();
    Labels { classes, counts: images.labels.clone() }
}

/// Trains into the folder that `open` returns. `open` is called last, after every check that could fail.
pub(super) fn run(
    spec: &Spec,
    train: &Train,
    prepared: &Prepared,
    open: impl FnOnce() -> Result<Place, RunError>,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<TrainedRun, RunError> {
    let place = || -> Result<Place, RunError> {
        let place = open()?;
        // Also when resuming: the process before may have been killed in between.
        if let Some(csv) = prepared.csv() {
            place.0.write(FEDERATION, csv)?;
        }
        if let Some(images) = prepared.images() {
            place.0.write(LABELS, &labels(images).to_json()?)?;
        }
        Ok(place)
    };
    let limits = Limits { tolerance: spec.tolerance, time_limit: spec.time_limit };
    let seed = Seed(spec.seed).derive("train");
    match prepared {
        Prepared::Table(table) => {
            let federation = linear(table);
            let terms = &terms_of_table(table);
            let losses = table.case.losses();
            let mut engine = Engine::new(&federation, Some(&*losses), terms, train, seed)?;
            let blocks = table.case.family.blocks(table.case.encoding.classes.len());
            let whole = Session {
                train,
                owner: owner(spec),
                tensors: &|params: &[f64]| linear_tensors(params, blocks, spec.intercept),
                audit: &|params: &[f64], header, last, observer| {
                    Trained { header, terms, last, limits }.of_table(table, params, stop, observer)
                },
            };
            session(&mut engine, &whole, place()?, stop, observer)
        }
        Prepared::Images(images) => {
            let terms = &images.case.terms(spec.radius);
            let federation = &*images.federation;
            let mut engine = Engine::new(federation, None, terms, train, seed)?;
            let training = Training { federation, hessians: None, terms, train, seed };
            let ruler = LinearRuler { federation, constants: None };
            let l2 = federation.l2();
            let whole = Session {
                train,
                owner: owner(spec),
                tensors: &|params: &[f32]| linear_tensors(params, images.case.classes, true),
                audit: &|_, header, last, observer| {
                    let found = bounds(header, terms, last, limits).of_bounds();
                    beside_own(found, &training, &ruler, l2, stop, observer)
                },
            };
            session(&mut engine, &whole, place()?, stop, observer)
        }
        Prepared::Network(run) => {
            let Some(NetworkSpec { audit: settings, .. }) = spec.model.network() else {
                return Err(PrepareError::ImagesForModel { model: spec.model.to_string() }.into());
            };
            let terms = &run.case.terms(spec.radius);
            let federation = &*run.federation;
            let mut engine = Engine::new(federation, None, terms, train, seed)?;
            let training = Training { federation, hessians: None, terms, train, seed };
            let network = run.federation.network();
            let audited = AuditedNetwork {
                federation: &run.federation,
                terms,
                train,
                settings,
                seed,
                tolerance: spec.tolerance,
            };
            let whole = Session {
                train,
                owner: owner(spec),
                tensors: &|params: &[f32]| network_tensors(network, params),
                audit: &|params: &[f32], header, last, observer| {
                    let found =
                        bounds(header, terms, last, limits).of_network(audited.audit(params));
                    beside_own(found, &training, federation, 0.0, stop, observer)
                },
            };
            session(&mut engine, &whole, place()?, stop, observer)
        }
    }
}

/// A verdict with every agent's own model, trained by the same settings, on held-out rows; as it is where no
/// rows are held out or nobody asked.
fn beside_own<F: Federated>(
    mut found: Finding,
    training: &Training<'_, F>,
    ruler: &dyn Ruler,
    l2: f64,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Finding {
    let asked = training.train.alone != Alone::Off && !stop.is_asked();
    let Some(held_out) = found.audit.held_out.as_mut().filter(|_| asked) else { return found };
    let Some(own) = training.alone(ruler, l2, stop, observer) else { return found };
    for (agent, own) in held_out.agents.iter_mut().zip(own) {
        match own {
            Ok(alone) => agent.alone = alone,
            Err(error) => found.audit.assumptions.push(Assumption {
                statement: "own models were trained for held-out rows".to_owned(),
                status: Status::Violated,
                detail: format!("`{}`: {}", agent.name, error.message()),
            }),
        }
    }
    found
}

fn bounds<'a>(
    header: &'a RunHeader,
    terms: &'a Terms,
    last: &'a Outcome,
    limits: Limits,
) -> Trained<'a> {
    Trained { header, terms, last, limits }
}
