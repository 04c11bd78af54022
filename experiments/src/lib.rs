//! The paper's tables, with what is proven, estimated and only searched beside every number.
//!
//! `corefed reproduce` calls [`reproduce`]. What it found on one machine is in the folders beside this crate.

mod both_rows;
mod error;
mod experiment;
mod judge;
mod markdown;
mod outcome;
mod page;
mod paired;
mod pool;
mod publish;
mod reading;
mod request;
mod results;
mod seed;
mod trainings;
mod tuned;

use std::path::{Path, PathBuf};

use corefed_run::{Observers, Stop, jobs, side_by_side};
use corefed_spec::Spec;

pub use crate::error::ReproduceError;
use crate::experiment::{Experiment, experiments, spec};
use crate::judge::{Yardstick, judge_all};
pub use crate::request::{Request, Table, Tuned};
use crate::results::Results;
use crate::seed::Seeds;

/// An experiment that is written.
#[derive(Clone, Debug)]
pub struct Reproduced {
    /// Its folder.
    pub folder: PathBuf,
    /// What the folder has besides `README.md`, `results.json` and `spec.toml`.
    pub contents: &'static str,
    /// Its main table, as text.
    pub table: String,
}

/// Trains, judges and writes every experiment that was asked for; `done` hears of each when it is written.
/// Says whether all of them are: stopped, the same request continues where it was.
pub fn reproduce(
    request: &Request,
    stop: &Stop,
    observers: &dyn Observers,
    mut done: impl FnMut(&Reproduced),
) -> Result<bool, ReproduceError> {
    request.check()?;
    let chosen = experiments(request.table);
    // All specs are checked before the first is run.
    let specs = chosen
        .iter()
        .map(|experiment| spec(experiment, request))
        .collect::<Result<Vec<Spec>, ReproduceError>>()?;
    // A grid among the settings asks for the same as one of its own.
    let asks = |spec: &Spec| spec.compare.as_ref().is_some_and(|compare| compare.tune.is_some());
    let told = specs.iter().any(asks).then(Tuned::default);
    if let Some(tuned) = request.tuned.clone().or(told) {
        return tuned::compare_all(&chosen, &specs, request, &tuned, stop, observers, done);
    }
    for (experiment, spec) in chosen.iter().zip(&specs) {
        let folder = request.out.join(experiment.preset);
        let found = run(experiment, spec, &folder, request, stop, observers)?;
        let Some(results) = found else { return Ok(false) };
        results.write(&folder)?;
        done(&Reproduced { folder, contents: "figures", table: results.text() });
    }
    Ok(true)
}

/// All trainings of an experiment, judged; `None` when it was interrupted.
fn run<'a>(
    experiment: &'a Experiment,
    spec: &'a Spec,
    folder: &Path,
    request: &Request,
    stop: &Stop,
    observers: &dyn Observers,
) -> Result<Option<Results<'a>>, ReproduceError> {
    let all = Seeds {
        spec,
        ceilings: experiment.ceilings,
        data_dir: request.data_dir.as_deref(),
        folder,
        observers,
    };
    let trained = side_by_side(&all, spec, jobs(request.jobs, spec), stop)?;
    let Some(seeds) = trained else { return Ok(None) };
    let floor = spec.train.as_ref().map_or(0.0, |train| train.safety.floor);
    let (mut rows, mut exploded) = (Vec::new(), Vec::new());
    let (mut agents, mut device) = (Vec::new(), String::new());
    for (about, came) in seeds {
        let yardstick = Yardstick { weights: &about.weights, tolerance: spec.tolerance, floor };
        let own = judge_all(came, experiment.ceilings, &yardstick)?;
        rows.extend(own.0);
        exploded.extend(own.1);
        (agents, device) = (about.names, about.device);
    }
    Ok(Some(Results { experiment, spec, agents, rows, exploded, device }))
}
