//! `corefed reproduce`: the paper's tables, with what is proven, estimated and only searched.

mod experiment;
mod judge;
mod markdown;
mod page;
mod pool;
mod reading;
mod results;
mod seed;
mod side_by_side;
mod trainings;

use std::io::Write;
use std::path::Path;

use corefed_spec::Spec;

use self::experiment::{Experiment, experiments, spec};
use self::judge::judge_all;
use self::results::Results;
use self::side_by_side::{OfSeed, train_all};
use crate::args::ReproduceArgs;
use crate::exit::Exit;
use crate::failure::Failure;

/// Trains, judges and writes every experiment that was asked for.
pub(crate) fn reproduce(args: &ReproduceArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let chosen = experiments(args.table);
    // All specs are checked before the first is run.
    let specs = chosen
        .iter()
        .map(|experiment| spec(experiment, args))
        .collect::<Result<Vec<Spec>, Failure>>()?;
    for (experiment, spec) in chosen.iter().zip(&specs) {
        let folder = args.out.join(experiment.preset);
        let Some(results) = run(experiment, spec, &folder, args.jobs())? else {
            return Ok(Exit::Interrupted);
        };
        results.write(&folder)?;
        writeln!(out, "{}", results.text())?;
        writeln!(
            out,
            "written to {}/: README.md, results.json, spec.toml, figures\n",
            folder.display()
        )?;
        out.flush()?;
    }
    Ok(Exit::Stable)
}

/// All trainings of an experiment, judged; `None` when it was interrupted.
fn run<'a>(
    experiment: &'a Experiment,
    spec: &'a Spec,
    folder: &Path,
    jobs: Option<usize>,
) -> Result<Option<Results<'a>>, Failure> {
    let jobs = side_by_side::jobs(jobs, spec);
    let Some(seeds) = train_all(spec, experiment.ceilings, folder, jobs)? else { return Ok(None) };
    let (mut rows, mut exploded) = (Vec::new(), Vec::new());
    let (mut agents, mut device) = (Vec::new(), String::new());
    for OfSeed { about, came } in seeds {
        let own = judge_all(came, experiment.ceilings, &about.weights, spec.tolerance)?;
        rows.extend(own.0);
        exploded.extend(own.1);
        (agents, device) = (about.names, about.device);
    }
    Ok(Some(Results { experiment, spec, agents, rows, exploded, device }))
}
