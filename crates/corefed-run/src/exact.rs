//! An exact run: every rule at its true optimum, audited side by side, written into a folder.

use std::path::{Path, PathBuf};

use corefed_core::Certificate;
use corefed_data::Agent;
use corefed_documents::{
    AuditDocument, COALITIONS, Coalitions, Document, DocumentError, FEDERATION, STAY, SUMMARY,
    Stay, to_json,
};
use corefed_log::{AgentHeader, DataHeader, ExactHeader, NewFolder};
use corefed_report::{draw_utilities, folder as pages, summary};
use corefed_solve::{Problem, Rule, Solution};
use corefed_spec::Spec;
use serde_json::json;

use crate::held_out::{HeldOutTable, OwnModels};
use crate::locate::seen_from;
use crate::owner::owner;
use crate::prepare::prepare;
use crate::prepared::{Prepared, TableRun};
use crate::stay::{StaySettings, is_quick, stay};
use crate::{Audited, Limits, Observers, PrepareError, RunError, Stop, coalitions};

/// The rules of an exact run, in the order they are shown.
pub const RULES: [Rule; 3] = [Rule::Core, Rule::Utilitarian, Rule::Egalitarian];

/// An exact run that is written.
#[derive(Clone, Debug)]
pub struct ExactRun {
    /// Its folder.
    pub folder: PathBuf,
    /// Its page.
    pub report: PathBuf,
    /// The file with the rows, as seen from the folder, or as the spec names it.
    pub data: String,
    /// One audit per rule, in the order of [`RULES`].
    pub answers: Vec<AuditDocument>,
}

impl ExactRun {
    /// The audit of the core predictor.
    #[must_use]
    pub fn core(&self) -> Option<&AuditDocument> {
        let core = Rule::Core.to_string();
        self.answers.iter().find(|answer| answer.rule.as_ref() == Some(&core))
    }
}

/// Solves and audits a spec without `[train]` into a new folder; `None` when stopped. `data_dir` is that of [`prepare`].
pub fn run_exact(
    spec: &Spec,
    data_dir: Option<&Path>,
    path: &Path,
    stop: &Stop,
    observers: &dyn Observers,
) -> Result<Option<ExactRun>, RunError> {
    let table = exact_table(spec, data_dir)?;
    let (results, listed) = solve_all(spec, &table, stop, observers)?;
    if stop.is_asked() {
        // Audits were cut short, and a verdict must not depend on that.
        return Ok(None);
    }
    let (answers, certificates): (Vec<AuditDocument>, Vec<Certificate>) =
        results.into_iter().unzip();
    let stayed = stay_of(spec, &table, data_dir, stop, observers)?;
    if stop.is_asked() {
        return Ok(None);
    }
    let kept = seen_from(spec, path);
    let header = header(&kept, &table)
        .to_json()
        .map_err(|source| DocumentError::Write { kind: "header", source })?;
    let folder = NewFolder::create(path)?;
    folder.write("run.json", header)?;
    folder.write("spec.toml", kept.to_toml())?;
    if let Some(text) = &table.csv {
        folder.write(FEDERATION, &**text)?;
    }
    for (rule, (answer, certificate)) in RULES.iter().zip(answers.iter().zip(&certificates)) {
        folder.write(&format!("{rule}.predictor.json"), answer.to_json()?)?;
        folder.write(&format!("{rule}.certificate.json"), to_json(certificate)?)?;
    }
    let data = match &table.csv {
        Some(_) => FEDERATION.to_owned(),
        None => spec.data.to_string(),
    };
    folder.write(SUMMARY, summary::exact::markdown(spec, &data, &answers))?;
    folder.write("utilities.svg", draw_utilities(&answers))?;
    if !listed.models.is_empty() {
        folder.write(COALITIONS, listed.to_json()?)?;
    }
    if let Some(answer) = &stayed {
        folder.write(STAY, answer.to_json()?)?;
    }
    // The page first: a folder that has its name has all of its files.
    pages::write(folder.partial(), None)?;
    let folder = folder.finish()?;
    let report = folder.join(pages::REPORT);
    Ok(Some(ExactRun { folder, report, data, answers }))
}

/// Whether it is worth staying, on the rows that the spec holds out, where that takes no time to speak of.
fn stay_of(
    spec: &Spec,
    table: &TableRun,
    data_dir: Option<&Path>,
    stop: &Stop,
    observers: &dyn Observers,
) -> Result<Option<Stay>, RunError> {
    if table.held_out.is_none() || !is_quick(table) {
        return Ok(None);
    }
    let settings = StaySettings { share: spec.held_out, ..StaySettings::default() };
    stay(spec, &settings, data_dir, stop, observers)
}

/// The agents of an exact run: solvers need a table.
pub(crate) fn exact_table(spec: &Spec, data_dir: Option<&Path>) -> Result<Box<TableRun>, RunError> {
    match prepare(spec, data_dir)? {
        Prepared::Table(table) => Ok(table),
        Prepared::Images(_) | Prepared::Network(_) => {
            Err(PrepareError::ImagesForSolver { data: spec.data.to_string() }.into())
        }
    }
}

fn header(spec: &Spec, table: &TableRun) -> ExactHeader {
    let case = &table.case;
    let agent = |(k, agent): (usize, &Agent)| AgentHeader {
        name: agent.name.clone(),
        samples: agent.samples(),
        held_out_samples: HeldOutTable::rows(table, &agent.name),
        weight: case.weights.values()[k],
        ceiling: case.ceilings[k],
        average: Some(table.average.values()[k]),
    };
    let blocks = case.family.blocks(case.encoding.classes.len());
    ExactHeader {
        name: spec.name.clone(),
        rules: RULES.map(|rule| rule.to_string()).to_vec(),
        seed: spec.seed,
        model: json!({
            "family": case.family.to_string(),
            "parameters": blocks * case.encoding.features.len(),
        }),
        data: DataHeader { file: spec.data.to_string(), digest: case.digest.clone() },
        agents: case.federation.agents().iter().enumerate().map(agent).collect(),
        tolerance: spec.tolerance,
        radius: case.radius,
    }
}

/// An audit with its certificate for every rule; coalitions where there are few enough.
type Solved = (Vec<(AuditDocument, Certificate)>, Coalitions);

/// Solves and audits every rule; each one's optimum is a rival of the others.
fn solve_all(
    spec: &Spec,
    table: &TableRun,
    stop: &Stop,
    observers: &dyn Observers,
) -> Result<Solved, RunError> {
    let case = &table.case;
    let losses = case.losses();
    let problem = case.problem(&*losses);
    let average = table.average.clone();
    let average = Problem::new(&*losses, case.ceilings.clone(), average, case.radius);
    let held_out = HeldOutTable::new(table, OwnModels::Fitted);
    let mut solutions: Vec<Solution> = Vec::new();
    for rule in RULES {
        let problem = if rule == Rule::Utilitarian { &average } else { &problem };
        solutions.push(case.solve_within(problem, rule, spec.time_limit)?);
    }
    let candidates: Vec<Vec<f64>> = solutions.iter().map(|s| s.params.clone()).collect();
    let limits = Limits { tolerance: spec.tolerance, time_limit: spec.time_limit };
    let results = RULES.iter().zip(&solutions).map(|(&rule, solution)| {
        let what = format!("audit of the {rule} predictor");
        let audited = Audited {
            what: &what,
            parameters: &solution.params,
            fitted: Some((rule, solution)),
            candidates: &candidates,
        };
        let (mut audit, certificate) =
            case.audit(&problem, &audited, limits, stop, &mut *observers.watch(&what))?;
        audit.owner = Some(owner(spec));
        audit.held_out = held_out.as_ref().map(|rows| rows.audit(&solution.params));
        Ok((audit, certificate))
    });
    let results = results.collect::<Result<Vec<_>, RunError>>()?;
    let mut listed = Coalitions::default();
    if coalitions::affordable(case, losses.dim()) {
        let pairs = RULES.iter().zip(&solutions);
        listed.models = pairs
            .map(|(rule, s)| coalitions::against(case, &problem, &rule.to_string(), &s.params))
            .collect();
    }
    Ok((results, listed))
}
