//! Several rules over several seeds on the same data; every model is a rival of every other.

use std::path::{Path, PathBuf};

use corefed_core::{Factors, Number, Weights};
use corefed_documents::{ComparedRun, Comparison, DeviationLine};
use corefed_rules::Rule;
use corefed_spec::{Compare, Contender, Spec};
use serde_json::Value;

use crate::audit::gains;
use crate::train::{TrainedResult, train};
use crate::{Observers, RunError, Stop, TrainingError};

/// Something that is made of several trainings.
#[derive(Clone, Debug)]
pub enum Several<T> {
    /// All of them are there.
    Done(T),
    /// Somebody asked to stop; the training in this folder can be resumed.
    Interrupted(PathBuf),
}

/// Trains every rule from every seed, each into a folder below `path`; `data_dir` is that of
/// [`prepare`](crate::prepare).
pub fn compare(
    spec: &Spec,
    compared: &Compare,
    data_dir: Option<&Path>,
    path: &Path,
    stop: &Stop,
    observers: &dyn Observers,
) -> Result<Several<Comparison>, RunError> {
    let mut runs: Vec<ComparedRun> = Vec::new();
    let mut agents: Vec<String> = Vec::new();
    for &seed in &compared.seeds {
        let first = runs.len();
        let mut weights = Weights::equal(1);
        for contender in &compared.rules {
            let own = one(spec, contender, seed);
            let folder = path.join(folder_name(&contender.label, seed));
            let what = format!("{} (seed {seed})", contender.label);
            let trained = train(&own, data_dir, &folder, stop, &mut *observers.watch(&what))
                .map_err(|error| error.at(&what))?;
            let Some(result) = trained.result else { return Ok(Several::Interrupted(folder)) };
            agents = result.last.agents.iter().map(|agent| agent.agent.clone()).collect();
            weights = result.weights.clone();
            runs.push(line(contender, seed, &folder, &result));
        }
        cross_examine(&mut runs[first..], &agents, &weights, spec.tolerance);
    }
    Ok(Several::Done(Comparison { folder: path.display().to_string(), agents, runs }))
}

/// The rules and seeds of a comparison: as asked for, else from the spec, else a sensible few.
pub fn contenders(spec: &Spec, rules: &[String], seeds: Option<u64>) -> Result<Compare, RunError> {
    let mut settings: Vec<(&str, String)> = Vec::new();
    if !rules.is_empty() {
        let names: Vec<String> = rules.iter().map(|rule| format!("\"{rule}\"")).collect();
        settings.push(("compare.rules", format!("[{}]", names.join(", "))));
    } else if spec.compare.is_none() {
        settings.push(("compare.rules", USUAL.to_owned()));
    }
    if let Some(seeds) = seeds {
        let seeds: Vec<String> = (1..=seeds).map(|seed| seed.to_string()).collect();
        settings.push(("compare.seeds", format!("[{}]", seeds.join(", "))));
    } else if spec.compare.is_none() {
        settings.push(("compare.seeds", format!("[{}]", spec.seed)));
    }
    let pairs: Vec<(&str, &str)> =
        settings.iter().map(|(key, value)| (*key, value.as_str())).collect();
    let spec = if pairs.is_empty() { spec.clone() } else { spec.with_all(&pairs)? };
    Ok(spec.compare.ok_or(TrainingError::NothingToCompare { spec: spec.name })?)
}

/// The rules that are compared unless told.
const USUAL: &str = "[\"fedavg\", \"corefed\", \"qffl\", \"afl\"]";

/// The rule of CoreFed's that ratios are taken against.
#[must_use]
pub fn reference(compared: &Compare) -> Option<&Contender> {
    let own = |rule: Rule| matches!(rule, Rule::Corefed { .. } | Rule::Newton);
    compared.rules.iter().find(|contender| own(contender.rule))
}

fn one(spec: &Spec, contender: &Contender, seed: u64) -> Spec {
    let mut own = spec.clone();
    own.seed = seed;
    own.compare = None;
    own.name = format!("{}-{}", spec.name, contender.label);
    if let Some(train) = &mut own.train {
        contender.enter(train);
    }
    own
}

fn line(contender: &Contender, seed: u64, folder: &Path, result: &TrainedResult) -> ComparedRun {
    ComparedRun {
        rule: contender.label.clone(),
        seed,
        folder: folder.display().to_string(),
        verdict: result.audit.verdict,
        kappa: result.audit.kappa,
        everybody: result.audit.everybody,
        headroom: result.audit.headroom.unwrap_or(Number(f64::INFINITY)),
        rival: None,
        deviation: None,
        utilities: result.last.agents.iter().filter_map(|agent| agent.utility).collect(),
        accuracy: result.last.round.accuracy,
        test_accuracy: result.last.round.test_accuracy,
    }
}

/// A label as part of a path.
fn folder_name(label: &str, seed: u64) -> PathBuf {
    let plain: String = label
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || ".-=".contains(c) { c } else { '-' })
        .collect();
    PathBuf::from(format!("{plain}-seed-{seed}"))
}

/// Models of other rules on the same data are rivals, too.
fn cross_examine(runs: &mut [ComparedRun], agents: &[String], weights: &Weights, tolerance: f64) {
    let all: Vec<(String, Vec<f64>)> =
        runs.iter().map(|run| (run.rule.clone(), run.utilities.clone())).collect();
    for run in runs {
        let known = Factors { kappa: run.kappa, everybody: run.everybody };
        let before = run.kappa.lo.0;
        let rivals = all.iter().map(|(_, utilities)| utilities.as_slice());
        let judged = known.judge(&run.utilities, rivals, weights, tolerance);
        (run.kappa, run.everybody) = (judged.factors.kappa, judged.factors.everybody);
        run.verdict = judged.verdict;
        let Some(best) = judged.strongest.as_ref().filter(|best| best.kappa > before) else {
            continue;
        };
        let rival = &all[best.rival].0;
        run.rival = Some(rival.clone());
        run.deviation = judged.deviation().map(|leaving| {
            let mut members: Vec<(usize, f64)> =
                leaving.coalition.iter().copied().zip(leaving.gains.iter().copied()).collect();
            members.sort_unstable_by_key(|(agent, _)| *agent);
            let coalition: Vec<String> = members.iter().map(|(k, _)| agents[*k].clone()).collect();
            let numbers: Vec<Number> = members.iter().map(|(_, gain)| Number(*gain)).collect();
            let gains = gains(&coalition, &numbers);
            DeviationLine { rival: Value::from(rival.as_str()), round: None, coalition, gains }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_become_plain_folder_names() {
        assert_eq!(folder_name("q-FFL 2/../x", 3), PathBuf::from("q-FFL-2-..-x-seed-3"));
    }
}
