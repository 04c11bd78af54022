//! `corefed run`: the three rules at their true optima, audited side by side.

use std::io::Write;

use corefed_core::{Certificate, Verdict};
use corefed_data::{EncodeOptions, FitFile, Table, fit, fit_file, hospitals_csv};
use corefed_solve::{Problem, Rule, Solution};
use corefed_spec::Spec;
use serde::Serialize;

use super::solve::{TOLERANCE, check_limits};
use super::{exit, print_json, to_json};
use crate::answer::{Answer, answer};
use crate::args::{AuditLimits, RunArgs};
use crate::case::{Case, Terms};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::{NewFolder, next_free};
use crate::policy::{ceiling_policy, resolve_weights};
use crate::watch::Watch;
use crate::{picture, spec, summary};

/// The rules that are compared, in the order they are shown.
const RULES: [Rule; 3] = [Rule::Core, Rule::Utilitarian, Rule::Egalitarian];

#[derive(Serialize)]
struct RunAnswer<'a> {
    folder: String,
    rules: &'a [Answer],
}

/// Runs a preset or a spec and writes the run folder.
pub(crate) fn run(args: &RunArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut spec = spec::find(&args.what)?;
    spec.seed = args.seed.unwrap_or(spec.seed);
    spec.radius = args.radius.unwrap_or(spec.radius);
    spec.time_limit = args.time_limit.unwrap_or(spec.time_limit);
    if let Some(ceiling) = &args.ceiling {
        spec.ceiling = ceiling.clone();
    }
    spec::check_exact(&spec)?;
    check_limits(&AuditLimits { epsilon: spec.epsilon, time_limit: spec.time_limit })?;
    let path = args.out.clone().unwrap_or_else(|| next_free("runs".as_ref(), &spec.name));
    NewFolder::check(&path)?;

    let (data, text) = load(&spec)?;
    let case = prepare(&spec, data)?;
    let results = compare(&spec, &case)?;

    let folder = NewFolder::create(path)?;
    folder.write("spec.toml", &spec.to_toml())?;
    if let Some(text) = text {
        folder.write("federation.csv", &text)?;
    }
    let (answers, certificates): (Vec<Answer>, Vec<Certificate>) = results.into_iter().unzip();
    for (rule, (answer, certificate)) in RULES.iter().zip(answers.iter().zip(&certificates)) {
        folder.write(&format!("{rule}.predictor.json"), &to_json(answer)?)?;
        folder.write(&format!("{rule}.certificate.json"), &to_json(certificate)?)?;
    }
    let data = spec.data.file().map(|path| path.display().to_string());
    let data = data.as_deref().unwrap_or("federation.csv");
    folder.write("summary.md", &summary::markdown(&spec, data, &answers))?;
    folder.write("utilities.svg", &picture::utilities(&answers))?;
    let shown = folder.finish()?;

    if args.json {
        print_json(out, &RunAnswer { folder: shown.display().to_string(), rules: &answers })?;
    } else {
        out.write_all(summary::terminal(&shown, data, &answers).as_bytes())?;
    }
    let core = answers.iter().find(|answer| answer.rule == Some(Rule::Core));
    Ok(exit(core.map_or(Verdict::Undecided, |answer| answer.verdict)))
}

/// The encoded data, and their text when it was generated and must be kept.
fn load(spec: &Spec) -> Result<(FitFile, Option<String>), Failure> {
    let options = EncodeOptions {
        agent_column: spec.agent.clone().unwrap_or("hospital".to_owned()),
        target_column: spec.target.clone().unwrap_or("disease".to_owned()),
        family: spec.model,
        intercept: spec.intercept,
        raw: spec.raw,
        l2: spec.l2,
        allow: spec.allow.clone(),
        missing: spec.missing,
        types: spec.columns.iter().map(|(name, kind)| (name.clone(), *kind)).collect(),
    };
    if let Some(file) = spec.data.file() {
        return Ok((fit_file(file, &options)?, None));
    }
    let text = hospitals_csv(spec.seed);
    let table = Table::parse("federation.csv", text.as_bytes())?;
    let (digest, file) = (table.digest().to_owned(), table.file().to_owned());
    Ok((FitFile { encoded: fit(&table, &options)?, digest, file }, Some(text)))
}

fn prepare(spec: &Spec, data: FitFile) -> Result<Case, Failure> {
    let agents = data.encoded.federation.agents();
    let terms = Terms {
        family: spec.model,
        l2: spec.l2,
        radius: spec.radius,
        weights: resolve_weights(&spec.weights, agents)?,
        ceiling: ceiling_policy(&spec.ceiling, agents)?,
    };
    Case::new(data, terms)
}

/// Solves and audits every rule; each one's optimum is a rival of the others.
fn compare(spec: &Spec, case: &Case) -> Result<Vec<(Answer, Certificate)>, Failure> {
    let losses = case.losses();
    let problem = case.problem(&*losses);
    let average = Problem::new(
        &*losses,
        case.ceilings.clone(),
        resolve_weights(&spec.average, case.federation.agents())?,
        case.radius,
    );
    let mut solutions: Vec<Solution> = Vec::new();
    for rule in RULES {
        let problem = if rule == Rule::Utilitarian { &average } else { &problem };
        solutions.push(
            corefed_solve::solve(problem, rule, TOLERANCE)
                .map_err(|error| case.infeasible(&error))?,
        );
    }
    let candidates: Vec<Vec<f64>> = solutions.iter().map(|s| s.params.clone()).collect();
    let results = RULES.iter().zip(&solutions).map(|(&rule, solution)| {
        let mut watch = Watch::new(format!("audit of the {rule} predictor"), spec.time_limit);
        let fitted = (solution.params.as_slice(), Some((rule, solution)));
        answer(case, &problem, fitted, &candidates, spec.epsilon, &mut watch)
    });
    Ok(results.collect())
}
