//! `corefed run`: the three rules at their true optima, audited side by side.

use std::io::Write;
use std::net::Ipv4Addr;
use std::path::Path;

use corefed_core::{Certificate, Verdict, Weights};
use corefed_solve::{Problem, Rule, Solution};
use corefed_spec::Spec;
use serde::Serialize;

use super::solve::{SOLVER_GAP, check_time_limit};
use super::train::{resume_training, train_by_rounds};
use super::{exit, print_json, to_json};
use crate::answer::{Answer, answer};
use crate::args::RunArgs;
use crate::case::Case;
use crate::coalitions::{self, COALITIONS, Coalitions};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::{NewFolder, next_free};
use crate::live::{LiveRun, Server};
use crate::train::{FEDERATION, Prepared, TableRun, prepare, stopped};
use crate::watch::Watch;
use crate::{picture, report, spec, summary};

/// The rules that are compared, in the order they are shown.
const RULES: [Rule; 3] = [Rule::Core, Rule::Utilitarian, Rule::Egalitarian];

#[derive(Serialize)]
struct RunAnswer<'a> {
    folder: String,
    report: String,
    rules: &'a [Answer],
}

/// Runs a preset or a spec, exactly or by rounds, and writes the run folder.
pub(crate) fn run(args: &RunArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    if let Some(folder) = &args.resume {
        let _server = live(args.watch, folder)?;
        return resume_training(folder, args.json, out);
    }
    let mut spec = spec::with_settings(spec::find(&args.what)?, &args.set)?;
    if let Some(radius) = args.radius {
        spec = spec.with("radius", &format!("{radius:?}"))?;
    }
    if let Some(device) = args.device {
        spec = spec.with("network.device", device.name())?;
    }
    spec.seed = args.seed.unwrap_or(spec.seed);
    spec.time_limit = args.time_limit.unwrap_or(spec.time_limit);
    if let Some(ceiling) = &args.ceiling {
        spec.ceiling = ceiling.clone();
    }
    spec = spec::with_tolerance(spec, args.tolerance)?;
    check_time_limit(spec.time_limit)?;
    let path = args.out.clone().unwrap_or_else(|| next_free("runs".as_ref(), &spec.name));
    NewFolder::check(&path)?;
    if spec.train.is_some() {
        let _server = live(args.watch, &path)?;
        return train_by_rounds(&spec, &path, args.json, out);
    }
    if args.watch {
        return Err(Failure::new("`--watch` shows trainings, and this spec is solved at once")
            .hint("leave it out, or run a spec with `[train]`"));
    }
    let table = exact_table(&spec)?;
    let (case, text) = (&table.case, &table.csv);
    let Compared { results, coalitions } = compare(&spec, case, &table.average)?;
    if stopped() {
        // Audits were cut short, and a verdict must not depend on that.
        return Ok(Exit::Interrupted);
    }

    let kept = spec::seen_from(&spec, &path);
    let folder = NewFolder::create(path)?;
    folder.write("spec.toml", &kept.to_toml())?;
    if let Some(text) = text {
        folder.write(FEDERATION, text)?;
    }
    let (answers, certificates): (Vec<Answer>, Vec<Certificate>) = results.into_iter().unzip();
    for (rule, (answer, certificate)) in RULES.iter().zip(answers.iter().zip(&certificates)) {
        folder.write(&format!("{rule}.predictor.json"), &to_json(answer)?)?;
        folder.write(&format!("{rule}.certificate.json"), &to_json(certificate)?)?;
    }
    let data = match text {
        Some(_) => FEDERATION.to_owned(),
        None => spec.data.to_string(),
    };
    folder.write("summary.md", &summary::markdown(&spec, &data, &answers))?;
    folder.write("utilities.svg", &picture::utilities(&answers))?;
    if !coalitions.models.is_empty() {
        folder.write(COALITIONS, &to_json(&coalitions)?)?;
    }
    let shown = folder.finish()?;
    let page = report::write(&shown, None)?.display().to_string();

    if args.json {
        let folder = shown.display().to_string();
        print_json(out, &RunAnswer { folder, report: page, rules: &answers })?;
    } else {
        out.write_all(summary::terminal(&shown, &data, &answers).as_bytes())?;
        writeln!(out, "report: {page}")?;
    }
    let core = answers.iter().find(|answer| answer.rule == Some(Rule::Core));
    Ok(exit(core.map_or(Verdict::Undecided, |answer| answer.verdict)))
}

/// The live page of a training, if asked for; it closes with the training.
fn live(asked: bool, folder: &Path) -> Result<Option<Server>, Failure> {
    if !asked {
        return Ok(None);
    }
    let server = Server::start(Ipv4Addr::LOCALHOST.into(), 0, LiveRun::new(folder))?;
    // Talk that cannot be written is not worth failing for.
    let _ = writeln!(std::io::stderr(), "watch it at {}", server.url());
    Ok(Some(server))
}

/// The agents of an exact run: solvers need a table.
pub(super) fn exact_table(spec: &Spec) -> Result<Box<TableRun>, Failure> {
    match prepare(spec)? {
        Prepared::Table(table) => Ok(table),
        Prepared::Images(_) | Prepared::Network(_) => Err(Failure::new(format!(
            "`{}` holds images, which exact solvers do not take",
            spec.data
        ))
        .hint("add `[train]` to train by rounds")),
    }
}

/// What the rules led to.
struct Compared {
    results: Vec<(Answer, Certificate)>,
    /// Empty where there are too many coalitions to list.
    coalitions: Coalitions,
}

/// Solves and audits every rule; each one's optimum is a rival of the others.
fn compare(spec: &Spec, case: &Case, average: &Weights) -> Result<Compared, Failure> {
    let losses = case.losses();
    let problem = case.problem(&*losses);
    let average = Problem::new(&*losses, case.ceilings.clone(), average.clone(), case.radius);
    let mut solutions: Vec<Solution> = Vec::new();
    for rule in RULES {
        let problem = if rule == Rule::Utilitarian { &average } else { &problem };
        solutions.push(
            corefed_solve::solve(problem, rule, SOLVER_GAP)
                .map_err(|error| case.infeasible(&error))?,
        );
    }
    let candidates: Vec<Vec<f64>> = solutions.iter().map(|s| s.params.clone()).collect();
    let results = RULES.iter().zip(&solutions).map(|(&rule, solution)| {
        let mut watch = Watch::new(format!("audit of the {rule} predictor"), spec.time_limit);
        let fitted = (solution.params.as_slice(), Some((rule, solution)));
        answer(case, &problem, fitted, &candidates, spec.tolerance, &mut watch)
    });
    let results = results.collect::<Result<Vec<_>, Failure>>()?;
    let mut listed = Coalitions::default();
    if coalitions::affordable(case, losses.dim()) {
        let pairs = RULES.iter().zip(&solutions);
        listed.models = pairs
            .map(|(rule, s)| coalitions::against(case, &problem, &rule.to_string(), &s.params))
            .collect();
    }
    Ok(Compared { results, coalitions: listed })
}
