//! Several rules over several seeds on the same data, each perhaps with the best of several settings.

mod asked;
mod choose;
mod examine;
mod paired;
mod plan;
mod trainings;

use std::path::Path;

use corefed_documents::Comparison;
use corefed_spec::{Compare, Spec, TuneSeeds};

pub(crate) use self::asked::reference;
pub use self::asked::{Asked, contenders};
use self::choose::{OfSeed, exploded, tuning};
use self::examine::cross_examine;
use self::paired::differences;
use self::plan::Plan;
use self::trainings::Trainings;
use crate::several::Several;
use crate::shared_tables::SharedTables;
use crate::side_by_side::{jobs, side_by_side};
use crate::{Observers, RunError, Stop, TrainingError};

/// Trains every rule from every seed, each into a folder below `path`, at most `at_once` at a time; trainings that
/// are there already are taken up. `data_dir` is that of [`prepare`](crate::prepare).
///
/// With `[compare.tune]` every rule is trained with several settings first. What is compared are those with the
/// largest floored log-welfare on the rows to choose by, and on held-out rows, which neither trained nor chose.
pub fn compare(
    spec: &Spec,
    compared: &Compare,
    data_dir: Option<&Path>,
    path: &Path,
    at_once: Option<usize>,
    stop: &Stop,
    observers: &dyn Observers,
) -> Result<Several<Comparison>, RunError> {
    let tune = compared.tune.as_ref();
    let plan = |(place, contender)| Plan::of(spec, tune, (contender, place == 0));
    let plans =
        compared.rules.iter().enumerate().map(plan).collect::<Result<Vec<Plan<'_>>, RunError>>()?;
    let tables = SharedTables::default();
    let train = |seeds: &[u64], pieces: Vec<(usize, usize)>| {
        let tables = &tables;
        let all =
            Trainings { spec, seeds, plans: &plans, pieces, data_dir, path, tables, observers };
        let came = side_by_side(&all, spec, jobs(at_once, spec), stop)?;
        let of_seed = |(seed, tried)| OfSeed { seed, tried };
        Ok::<_, RunError>(came.map(|came| came.into_iter().map(of_seed).collect::<Vec<OfSeed>>()))
    };
    let every: Vec<(usize, usize)> = plans
        .iter()
        .enumerate()
        .flat_map(|(rule, plan)| (0..plan.settings.len()).map(move |setting| (rule, setting)))
        .collect();
    let first_chooses = tune.is_some_and(|tune| tune.seeds == TuneSeeds::First);
    let choosing = if first_chooses { 1 } else { compared.seeds.len() };
    let (choosing, told) = compared.seeds.split_at(choosing);
    let Some(mut seeds) = train(choosing, every)? else { return Ok(Several::Interrupted) };
    if !told.is_empty() {
        let chosen = seeds[0].best(plans.len());
        let pieces =
            chosen.into_iter().flatten().map(|tried| (tried.rule, tried.setting)).collect();
        let Some(others) = train(told, pieces)? else { return Ok(Several::Interrupted) };
        seeds.extend(others);
    }
    if tune.is_some() && seeds.iter().any(OfSeed::is_blind) {
        return Err(TrainingError::NothingToChooseBy { spec: spec.name.clone() }.into());
    }
    let (mut runs, mut agents) = (Vec::new(), Vec::new());
    for seed in &seeds {
        let best: Vec<_> = seed.best(plans.len()).into_iter().flatten().collect();
        let models = || best.iter().filter_map(|tried| tried.model());
        let mut own: Vec<_> = models().map(|model| model.run.clone()).collect();
        if let Some(model) = models().next() {
            agents.clone_from(&model.agents);
            cross_examine(&mut own, &agents, &model.weights, spec.tolerance);
        }
        runs.extend(own);
    }
    let exploded = exploded(&plans, &seeds);
    if let (true, Some(first)) = (runs.is_empty(), exploded.first()) {
        return Err(TrainingError::NoModel { failure: first.failure.clone() }.into());
    }
    let base = compared.baseline().map(|contender| contender.label.as_str());
    let labels: Vec<&str> = compared.rules.iter().map(|rule| rule.label.as_str()).collect();
    Ok(Several::Done(Comparison {
        folder: path.display().to_string(),
        agents,
        exploded,
        paired: base.map(|base| differences(&runs, &labels, base, &compared.seeds)),
        tuning: tune.map(|tune| tuning(tune, &plans, &seeds)),
        runs,
    }))
}
