//! `corefed sweep`: one key of a spec, several values.

use std::io::Write;
use std::path::Path;

use corefed_core::{KappaInterval, Number, Verdict};
use corefed_solve::Rule;
use corefed_spec::Spec;
use serde::Serialize;

use super::compare::interrupted;
use super::published::Published;
use super::run::exact_table;
use super::solve::SOLVER_GAP;
use super::to_json;
use crate::answer::answer;
use crate::args::SweepArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::{self, next_free};
use crate::grid::{Cell, Grid};
use crate::spec;
use crate::train::{Talk, train};
use crate::watch::Watch;

/// What one value led to.
#[derive(Clone, Debug, Serialize)]
struct Point {
    value: String,
    agents: Vec<String>,
    utilities: Vec<f64>,
    log_welfare: Number,
    kappa: KappaInterval,
    everybody: KappaInterval,
    headroom: Number,
    verdict: Verdict,
    accuracy: Option<f64>,
    test_accuracy: Option<f64>,
}

#[derive(Serialize)]
struct Sweep<'a> {
    folder: String,
    field: &'a str,
    points: &'a [Point],
}

/// Runs the spec once for each value and prints the table.
pub(crate) fn sweep(args: &SweepArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let spec = spec::with_settings(spec::find(&args.what)?, &args.set)?;
    let spec = spec::with_tolerance(spec, args.tolerance)?;
    // All values are checked before the first is run.
    let specs = args
        .values
        .iter()
        .map(|value| {
            let value = value.trim().to_owned();
            let own = spec.with(&args.field, &value).map_err(|mistakes| {
                Failure::from(mistakes).at(&format!("{} = {value}", args.field))
            })?;
            Ok((value, own))
        })
        .collect::<Result<Vec<(String, Spec)>, Failure>>()?;
    let path = args
        .out
        .clone()
        .unwrap_or_else(|| next_free("runs".as_ref(), &format!("{}-sweep", spec.name)));
    files::NewFolder::check(&path)?;
    let mut points = Vec::new();
    for (k, (value, spec)) in specs.iter().enumerate() {
        let what = format!("{} = {value}", args.field);
        let folder = path.join(format!("{k:03}"));
        let point = if spec.train.is_some() {
            trained(spec, value, &what, &folder)
        } else {
            solved(spec, value, &what).map(Some)
        };
        let Some(point) = point.map_err(|failure| failure.at(&what))? else {
            return Ok(interrupted(&folder));
        };
        points.push(point);
    }
    let grid = table(&args.field, &points);
    let json = to_json(&Sweep {
        folder: path.display().to_string(),
        field: &args.field,
        points: &points,
    })?;
    let contents = "sweep.md, .csv, .tex and .json";
    let published = Published { name: "sweep", contents, spec: &spec, json, grid };
    published.write(&path, (!args.json).then_some(args.format), out)?;
    Ok(Exit::Stable)
}

fn trained(spec: &Spec, value: &str, what: &str, folder: &Path) -> Result<Option<Point>, Failure> {
    let talk = Talk::Progress(what.to_owned());
    let Some(result) = train(spec, folder, talk)?.result else { return Ok(None) };
    let last = &result.last;
    Ok(Some(Point {
        value: value.to_owned(),
        agents: last.agents.iter().map(|agent| agent.agent.clone()).collect(),
        utilities: last.agents.iter().filter_map(|agent| agent.utility).collect(),
        log_welfare: Number(last.round.log_welfare.unwrap_or(f64::NEG_INFINITY)),
        kappa: result.conclusion.kappa,
        everybody: result.conclusion.everybody,
        headroom: Number(result.conclusion.headroom),
        verdict: result.conclusion.verdict,
        accuracy: last.round.accuracy,
        test_accuracy: last.round.test_accuracy,
    }))
}

/// The core predictor at its true optimum, audited.
fn solved(spec: &Spec, value: &str, what: &str) -> Result<Point, Failure> {
    let table = exact_table(spec)?;
    let case = &table.case;
    let losses = case.losses();
    let problem = case.problem(&*losses);
    let solution = corefed_solve::solve(&problem, Rule::Core, SOLVER_GAP)
        .map_err(|error| case.infeasible(&error))?;
    let mut watch = Watch::new(format!("audit at {what}"), spec.time_limit);
    let fitted = (solution.params.as_slice(), Some((Rule::Core, &solution)));
    let (found, _) = answer(case, &problem, fitted, &[], spec.tolerance, &mut watch)?;
    Ok(Point {
        value: value.to_owned(),
        agents: case.names.clone(),
        utilities: found.agents.iter().map(|agent| agent.utility).collect(),
        log_welfare: found.log_welfare,
        kappa: found.kappa,
        everybody: found.everybody,
        headroom: found.headroom,
        verdict: found.verdict,
        accuracy: None,
        test_accuracy: None,
    })
}

fn table(field: &str, points: &[Point]) -> Grid {
    let mut header = vec![field.to_owned()];
    // Agents may change with the key, so they have columns only where they are the same throughout.
    let agents = points.first().map(|point| &point.agents);
    let listed = agents
        .filter(|agents| agents.len() <= 12 && points.iter().all(|point| point.agents == **agents));
    if let Some(agents) = listed {
        header.extend(agents.iter().map(|name| format!("u({name})")));
    } else {
        header.extend(["min u", "mean u"].map(str::to_owned));
    }
    let tested = points.iter().any(|point| point.test_accuracy.is_some());
    header.push("log-welfare".to_owned());
    if tested {
        header.push("test accuracy".to_owned());
    }
    let factors = ["kappa >=", "kappa <=", "everybody >=", "headroom", "verdict"];
    header.extend(factors.map(str::to_owned));
    let rows = points.iter().map(|point| {
        let mut row = vec![Cell::text(&point.value)];
        if listed.is_some() {
            row.extend(point.utilities.iter().map(|u| Cell::number(*u, 4)));
        } else {
            let least = point.utilities.iter().copied().fold(f64::INFINITY, f64::min);
            let mean = point.utilities.iter().sum::<f64>() / point.utilities.len() as f64;
            row.extend([Cell::number(least, 4), Cell::number(mean, 4)]);
        }
        row.push(Cell::number(point.log_welfare.0, 4));
        if tested {
            row.push(point.test_accuracy.map_or_else(Cell::missing, |a| Cell::number(a, 4)));
        }
        row.push(Cell::number(point.kappa.lo.0, 6));
        row.push(Cell::number(point.kappa.hi.0, 6));
        row.push(Cell::number(point.everybody.lo.0, 6));
        row.push(Cell::number(point.headroom.0, 4));
        row.push(Cell::text(point.verdict.to_string()));
        row
    });
    Grid { header, rows: rows.collect() }
}
