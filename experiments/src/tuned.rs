//! An experiment whose rules are compared with the best of several settings, under the printed ceiling.

use std::path::Path;

use corefed_documents::{Comparison, Document};
use corefed_log::write_file;
use corefed_report::TableFormat;
use corefed_run::{Asked, Observers, Several, Stop, compare, contenders, publish_comparison};
use corefed_spec::{Compare, Device, Spec};

use crate::experiment::Experiment;
use crate::reading::setting;
use crate::request::{Request, Tuned};
use crate::{ReproduceError, Reproduced};

/// Rates to try, as parts of the spec's.
const RATES: [f64; 3] = [1.0 / 3.0, 1.0, 3.0];
/// Exponents of q-FFL to try, within the budget of all others.
const EXPONENTS: [&str; 2] = ["0.1", "1.0"];
/// Rows of every agent to choose by, where the spec keeps none.
const VALIDATION: &str = "0.1";

/// Compares the rules of every experiment; `done` hears of each when it is written. Says whether all of them are.
pub(crate) fn compare_all(
    experiments: &[&Experiment],
    specs: &[Spec],
    request: &Request,
    tuned: &Tuned,
    stop: &Stop,
    observers: &dyn Observers,
    mut done: impl FnMut(&Reproduced),
) -> Result<bool, ReproduceError> {
    // All are checked before the first is run.
    let planned = specs
        .iter()
        .map(|spec| planned(spec, tuned))
        .collect::<Result<Vec<(Spec, Compare)>, ReproduceError>>()?;
    for (experiment, (spec, compared)) in experiments.iter().zip(&planned) {
        let folder = request.out.join(format!("{}-tuned", experiment.preset));
        let (runs, data_dir) = (folder.join("runs"), request.data_dir.as_deref());
        let found = compare(spec, compared, data_dir, &runs, request.jobs, stop, observers)?;
        let Several::Done(document) = found else { return Ok(false) };
        let table = write(experiment, spec, compared, &document, &folder)?;
        done(&Reproduced { folder, contents: "runs", table });
    }
    Ok(true)
}

/// The spec with rows to choose by, and its rules with the settings to try.
fn planned(spec: &Spec, tuned: &Tuned) -> Result<(Spec, Compare), ReproduceError> {
    let spec =
        if spec.validation > 0.0 { spec.clone() } else { spec.with("validation", VALIDATION)? };
    let mut asked = Asked { tune: tuned.grid.clone(), budget: tuned.budget, ..Asked::default() };
    let told = spec.compare.as_ref().is_some_and(|compare| compare.tune.is_some());
    if asked.tune.is_empty() && !told {
        asked.tune = usual(&spec);
        // As many settings as every rule has: a knob of its own wins nobody more.
        asked.budget = asked.budget.or(Some(RATES.len() as u64));
    }
    let compared = contenders(&spec, &asked)?;
    Ok((Spec { compare: Some(compared.clone()), ..spec }, compared))
}

/// The grid of an experiment unless it is told.
fn usual(spec: &Spec) -> Vec<(String, Vec<String>)> {
    let rate = spec.train.as_ref().map_or(0.0, |train| train.local.learning_rate);
    // Three digits: nobody means a third to sixteen.
    let rates = RATES.map(|part| format!("{:.2e}", part * rate)).to_vec();
    let mut grid = vec![("train.local.learning_rate".to_owned(), rates)];
    let rules = spec.compare.as_ref().map_or(&[][..], |compare| &compare.rules);
    if rules.iter().any(|contender| contender.rule.info().name == "qffl") {
        grid.push(("q".to_owned(), EXPONENTS.map(str::to_owned).to_vec()));
    }
    grid
}

/// Writes what is worth keeping beside the trainings, and gives it back as text.
fn write(
    experiment: &Experiment,
    spec: &Spec,
    compared: &Compare,
    document: &Comparison,
    folder: &Path,
) -> Result<String, ReproduceError> {
    let (tables, _) = publish_comparison(&folder.join("runs"), spec, compared, document)?;
    let title = format!("{}, tuned, ceiling {}", experiment.title, spec.ceiling);
    let network = spec.model.network();
    let cuda = network.is_some_and(|network| network.device == Device::Cuda);
    let device = if cuda { "on a GPU" } else { "on the CPU" };
    let about = setting(experiment, spec, document.agents.len(), device);
    let markdown = tables.to_format(TableFormat::Markdown)?;
    write_file(folder.join("README.md"), format!("# {title}\n\n{about}\n\n{markdown}"))?;
    let stored = Comparison { folder: "runs".to_owned(), ..document.clone() };
    write_file(folder.join("results.json"), stored.to_json()?)?;
    write_file(folder.join("spec.toml"), spec.to_toml())?;
    Ok(format!("{title}\n{}", tables.to_format(TableFormat::Text)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_grid_gives_every_rule_as_many_settings() {
        let spec = Spec::preset("table1-cifar10").unwrap();
        let (spec, compared) = planned(&spec, &Tuned::default()).unwrap();
        assert_eq!(spec.validation, 0.1);
        let tune = compared.tune.unwrap();
        assert_eq!(tune.budget.get(), 3);
        assert_eq!(tune.grid["train.local.learning_rate"], ["0.00333", "0.01", "0.03"]);
        assert!(tune.grid["q"].contains(&"1.0".to_owned()));
    }
}
