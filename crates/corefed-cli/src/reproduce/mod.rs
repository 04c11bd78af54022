//! `corefed reproduce`: the paper's tables, with what is proven, estimated and only searched.

mod experiment;
mod judge;
mod markdown;
mod page;
mod pool;
mod reading;
mod results;
mod trainings;

use std::io::Write;
use std::path::Path;

use corefed_spec::{Ceiling, Spec};

use self::experiment::{Experiment, experiments, spec};
use self::judge::{Facts, Row, judge};
use self::pool::Candidate;
use self::results::{Exploded, Results};
use self::trainings::{Training, is_begun, trainings};
use crate::args::ReproduceArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::train::{Prepared, Talk, Trained, prepare, resume_on, train_on};

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
        let Some(results) = run(experiment, spec, &folder)? else { return Ok(Exit::Interrupted) };
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
) -> Result<Option<Results<'a>>, Failure> {
    let (mut rows, mut exploded) = (Vec::new(), Vec::new());
    let (mut agents, mut device) = (Vec::new(), String::new());
    let seeds = spec.compare.as_ref().map_or(&[][..], |compare| &compare.seeds);
    for &seed in seeds {
        let mut own = spec.clone();
        own.seed = seed;
        let mut prepared = prepare(&own)?;
        (agents, device) = (prepared.names(), prepared.device());
        let Some(own) = of_seed(experiment, spec, seed, folder, &mut prepared)? else {
            return Ok(None);
        };
        rows.extend(own.0);
        exploded.extend(own.1);
    }
    Ok(Some(Results { experiment, spec, agents, rows, exploded, device }))
}

/// Rows of one seed, and trainings that came to nothing.
type OfSeed = (Vec<Row>, Vec<Exploded>);

/// The rows of one seed.
fn of_seed(
    experiment: &Experiment,
    spec: &Spec,
    seed: u64,
    folder: &Path,
    prepared: &mut Prepared,
) -> Result<Option<OfSeed>, Failure> {
    let names = prepared.names();
    let ceilings = experiment.ceilings;
    let mut pool: Vec<Candidate> = Vec::new();
    let mut facts: Vec<Option<(Facts, Option<f64>)>> = Vec::new();
    let mut exploded = Vec::new();
    let mut all = trainings(spec, ceilings, seed, &names);
    if let Prepared::Table(_) = prepared {
        // Exact audits need no coalitions as rivals, but every rule anew under every ceiling.
        all = results::under_every_ceiling(spec, ceilings, seed);
    }
    let count = all.len();
    for (k, training) in all.iter().enumerate() {
        let what = format!("{} {} seed {seed} [{}/{count}]", spec.name, training.name, k + 1);
        let place = folder.join("runs").join(&training.folder);
        let (trained, params) = match train(training, prepared, &place, &what) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(None),
            // A rule that does not survive its settings is a result, not the end of the table.
            Err(failure) if failure.is_diverged() => {
                exploded.push(Exploded {
                    training: training.name.clone(),
                    seed,
                    failure: failure.message().to_owned(),
                });
                continue;
            }
            Err(failure) => return Err(failure),
        };
        pool.push(Candidate {
            name: training.name.clone(),
            losses: trained.losses(),
            held_out: prepared.held_out_losses(&params),
        });
        facts.push(training.row.as_ref().map(|(rule, ceiling)| {
            let last = trained.result.as_ref().map(|result| &result.last.round);
            let facts = Facts {
                rule: rule.clone(),
                seed,
                accuracy: last.and_then(|round| round.accuracy),
                test_accuracy: last.and_then(|round| round.test_accuracy),
                seconds: trained.seconds,
                exact: trained.exact().map(|(kappa, leaving)| {
                    let index = |name: &String| names.iter().position(|known| known == name);
                    (kappa, leaving.iter().filter_map(index).collect())
                }),
            };
            (facts, *ceiling)
        }));
    }
    let weights = prepared.weights();
    let mut rows = Vec::new();
    for (k, known) in facts.iter().enumerate() {
        let Some((facts, own)) = known else { continue };
        for &ceiling in ceilings.iter().filter(|ceiling| own.is_none_or(|own| own == **ceiling)) {
            // An exact audit knows its rivals itself.
            let rivals = if facts.exact.is_some() { &[][..] } else { &pool };
            rows.push(judge(facts, &pool[k], rivals, ceiling, &weights, spec.epsilon)?);
        }
    }
    Ok(Some((rows, exploded)))
}

/// Trains, goes on, or reads what was trained before; `None` when interrupted.
fn train(
    training: &Training,
    prepared: &mut Prepared,
    place: &Path,
    what: &str,
) -> Result<Option<(Trained, Vec<f64>)>, Failure> {
    if let Ceiling::Fixed(ceiling) = training.spec.ceiling {
        prepared.set_ceiling(ceiling);
    }
    let talk = Talk::Progress(what.to_owned());
    let trained = if is_begun(place) {
        resume_on(prepared, place, talk)
    } else {
        train_on(&training.spec, prepared, place, talk)
    };
    let trained = trained.map_err(|failure| failure.at(what))?;
    let params = trained.result.as_ref().map(|result| result.params.clone());
    Ok(params.map(|params| (trained, params)))
}
