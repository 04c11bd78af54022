//! `corefed compare`: several rules over several seeds, in the paper's table.

use std::io::Write;
use std::path::{Path, PathBuf};

use corefed_core::{Factors, KappaInterval, Number, Verdict, Weights, scan};
use corefed_spec::{Compare, Contender, Spec};
use serde::Serialize;

use super::published::Published;
use super::to_json;
use crate::args::CompareArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::{self, next_free};
use crate::grid::{Cell, Grid};
use crate::spec;
use crate::summary::program;
use crate::train::{Talk, train};

/// More agents than this get no column each.
const MOST_COLUMNS: usize = 12;

/// One training of a comparison.
#[derive(Clone, Debug, Serialize)]
struct Run {
    rule: String,
    seed: u64,
    folder: String,
    verdict: Verdict,
    kappa: KappaInterval,
    everybody: KappaInterval,
    headroom: Number,
    /// Another rule's model of the same seed that a coalition would rather have, if that is the
    /// best rival known.
    rival: Option<String>,
    utilities: Vec<f64>,
    accuracy: Option<f64>,
    test_accuracy: Option<f64>,
}

#[derive(Serialize)]
struct Comparison<'a> {
    folder: String,
    agents: &'a [String],
    runs: &'a [Run],
}

/// Trains every rule from every seed and prints the table.
pub(crate) fn compare(args: &CompareArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let spec = spec::with_settings(spec::find(&args.what)?, &args.set)?;
    let spec = spec::with_tolerance(spec, args.tolerance)?;
    let compared = contenders(&spec, args)?;
    let path = args
        .out
        .clone()
        .unwrap_or_else(|| next_free("runs".as_ref(), &format!("{}-compare", spec.name)));
    files::NewFolder::check(&path)?;
    let mut runs: Vec<Run> = Vec::new();
    let mut agents: Vec<String> = Vec::new();
    let mut weights = Weights::equal(1);
    for &seed in &compared.seeds {
        let first = runs.len();
        for contender in &compared.rules {
            let own = trained_spec(&spec, contender, seed);
            let folder = path.join(folder_name(&contender.label, seed));
            let what = format!("{} (seed {seed})", contender.label);
            let trained = train(&own, &folder, Talk::Progress(what.clone()))
                .map_err(|failure| failure.at(&what))?;
            let Some(result) = trained.result else { return Ok(interrupted(&folder)) };
            agents = result.last.agents.iter().map(|agent| agent.agent.clone()).collect();
            weights = result.weights;
            runs.push(Run {
                rule: contender.label.clone(),
                seed,
                folder: folder.display().to_string(),
                verdict: result.conclusion.verdict,
                kappa: result.conclusion.kappa,
                everybody: result.conclusion.everybody,
                headroom: Number(result.conclusion.headroom),
                rival: None,
                utilities: result.last.agents.iter().filter_map(|agent| agent.utility).collect(),
                accuracy: result.last.round.accuracy,
                test_accuracy: result.last.round.test_accuracy,
            });
        }
        cross_examine(&mut runs[first..], &weights, spec.tolerance);
    }
    let grid = table(&compared, &runs, &agents);
    let json =
        to_json(&Comparison { folder: path.display().to_string(), agents: &agents, runs: &runs })?;
    let whole = Spec { compare: Some(compared), ..spec };
    let contents = "a run folder per training, compare.md, .csv, .tex and .json";
    let published = Published { name: "compare", contents, spec: &whole, json, grid };
    published.write(&path, (!args.json).then_some(args.format), out)?;
    Ok(Exit::Stable)
}

/// Says how the training that was stopped goes on.
pub(super) fn interrupted(folder: &Path) -> Exit {
    // Talk that cannot be written is not worth failing for.
    let _ = writeln!(
        std::io::stderr(),
        "stopped; the trainings so far are kept, and this one continues with: {} run --resume {}",
        program(),
        folder.display()
    );
    Exit::Interrupted
}

/// The rules and seeds: from the command line, else from the spec, else a sensible few.
fn contenders(spec: &Spec, args: &CompareArgs) -> Result<Compare, Failure> {
    let mut settings: Vec<(String, String)> = Vec::new();
    if !args.rules.is_empty() {
        let names: Vec<String> = args.rules.iter().map(|rule| format!("\"{rule}\"")).collect();
        settings.push(("compare.rules".into(), format!("[{}]", names.join(", "))));
    } else if spec.compare.is_none() {
        let usual = "[\"fedavg\", \"corefed\", \"qffl\", \"afl\"]";
        settings.push(("compare.rules".into(), usual.into()));
    }
    if let Some(seeds) = args.seeds {
        let seeds: Vec<String> = (1..=seeds).map(|seed| seed.to_string()).collect();
        settings.push(("compare.seeds".into(), format!("[{}]", seeds.join(", "))));
    } else if spec.compare.is_none() {
        settings.push(("compare.seeds".into(), format!("[{}]", spec.seed)));
    }
    let pairs: Vec<(&str, &str)> =
        settings.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let spec = if pairs.is_empty() { spec.clone() } else { spec.with_all(&pairs)? };
    spec.compare.ok_or_else(|| {
        Failure::new(format!("`{}` trains nothing that could be compared", spec.name))
            .hint("add `[train]` to the spec")
    })
}

fn trained_spec(spec: &Spec, contender: &Contender, seed: u64) -> Spec {
    let mut own = spec.clone();
    own.seed = seed;
    own.compare = None;
    own.name = format!("{}-{}", spec.name, contender.label);
    if let Some(train) = &mut own.train {
        train.rule = contender.rule;
    }
    own
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
fn cross_examine(runs: &mut [Run], weights: &Weights, tolerance: f64) {
    for k in 0..runs.len() {
        for other in 0..runs.len() {
            let (now, then) = (&runs[k].utilities, &runs[other].utilities);
            let found = scan(now, then, weights.values(), &weights.total());
            let (kappa, everybody) = (found.kappa.value(), found.everybody.value());
            let run = &runs[k];
            // What beats a proven upper end lies outside the ball (a training need not project),
            // and is no rival.
            if kappa > run.kappa.hi.0 || everybody > run.everybody.hi.0 {
                continue;
            }
            let rival = (kappa > run.kappa.lo.0).then(|| runs[other].rule.clone());
            let run = &mut runs[k];
            run.rival = rival.or_else(|| run.rival.take());
            let mut factors = Factors { kappa: run.kappa, everybody: run.everybody };
            factors.reach(&found);
            (run.kappa, run.everybody) = (factors.kappa, factors.everybody);
            run.verdict = factors.verdict(tolerance);
        }
    }
}

/// The paper's table: every utility, their average and product, the sum of ratios against CoreFed,
/// kappa and the verdict; means over seeds, with deviations.
fn table(compared: &Compare, runs: &[Run], agents: &[String]) -> Grid {
    let listed = agents.len() <= MOST_COLUMNS;
    let mut header = vec!["rule".to_owned()];
    if listed {
        header.extend(agents.iter().map(|name| format!("u({name})")));
    } else {
        header.push("min u".to_owned());
    }
    header.extend(["average", "product"].map(str::to_owned));
    let reference = compared.rules.iter().find(|c| {
        matches!(c.rule, corefed_rules::Rule::Corefed { .. } | corefed_rules::Rule::Newton)
    });
    if let Some(reference) = reference {
        header.push(format!("sum u/u({})", reference.label));
    }
    let tested = runs.iter().any(|run| run.test_accuracy.is_some());
    if tested {
        header.push("test accuracy".to_owned());
    }
    header.extend(["kappa >=", "kappa <=", "everybody >=", "verdict"].map(str::to_owned));
    let rows = compared.rules.iter().map(|contender| {
        let own: Vec<&Run> = runs.iter().filter(|run| run.rule == contender.label).collect();
        let over = |value: &dyn Fn(&Run) -> f64| spread(own.iter().map(|run| value(run)), 4);
        let mut row = vec![Cell::text(&contender.label)];
        if listed {
            row.extend((0..agents.len()).map(|k| over(&|run| run.utilities[k])));
        } else {
            row.push(over(&|run| run.utilities.iter().copied().fold(f64::INFINITY, f64::min)));
        }
        row.push(over(&|run| run.utilities.iter().sum::<f64>() / run.utilities.len() as f64));
        row.push(over(&|run| run.utilities.iter().product()));
        if let Some(reference) = reference {
            let base = |seed| runs.iter().find(|r| r.rule == reference.label && r.seed == seed);
            row.push(over(&|run| {
                let base = base(run.seed).map_or(&run.utilities, |base| &base.utilities);
                run.utilities.iter().zip(base).map(|(u, v)| u / v).sum()
            }));
        }
        if tested {
            row.push(over(&|run| run.test_accuracy.unwrap_or(f64::NAN)));
        }
        row.push(over(&|run| run.kappa.lo.0));
        row.push(over(&|run| run.kappa.hi.0));
        row.push(over(&|run| run.everybody.lo.0));
        row.push(verdicts(&own));
        row
    });
    Grid { header, rows: rows.collect() }
}

/// A mean over seeds, with the deviation where there are several.
pub(crate) fn spread(values: impl Iterator<Item = f64>, digits: usize) -> Cell {
    let values: Vec<f64> = values.collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let cell = Cell::number(mean, digits);
    if values.len() < 2 || !mean.is_finite() {
        return cell;
    }
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (count - 1.0);
    let shown = format!("{} ± {}", cell.shown, Cell::number(variance.sqrt(), digits).shown);
    Cell { shown, exact: cell.exact }
}

/// `stable`, or how many of each.
fn verdicts(runs: &[&Run]) -> Cell {
    let count = |verdict| runs.iter().filter(|run| run.verdict == verdict).count();
    let all = [Verdict::Stable, Verdict::Blocked, Verdict::Improvable, Verdict::Undecided];
    let found: Vec<(Verdict, usize)> =
        all.into_iter().map(|v| (v, count(v))).filter(|(_, n)| *n > 0).collect();
    match found.as_slice() {
        [(verdict, _)] => Cell::text(verdict.to_string()),
        several => {
            let parts: Vec<String> = several.iter().map(|(v, n)| format!("{n} {v}")).collect();
            Cell::text(parts.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_comes_with_its_deviation() {
        assert_eq!(spread([1.0].into_iter(), 4).shown, "1.0000");
        // 1 and 3: mean 2, deviation sqrt(2).
        let two = spread([1.0, 3.0].into_iter(), 4);
        assert_eq!((two.shown.as_str(), two.exact.as_str()), ("2.0000 ± 1.4142", "2"));
    }

    #[test]
    fn labels_become_plain_folder_names() {
        assert_eq!(folder_name("q-FFL 2/../x", 3), PathBuf::from("q-FFL-2-..-x-seed-3"));
    }
}
