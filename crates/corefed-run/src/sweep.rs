//! One key of a spec, several values.

use std::path::Path;

use corefed_core::Number;
use corefed_documents::{AuditDocument, Sweep, SweepPoint, Unserved};
use corefed_solve::Rule;
use corefed_spec::Spec;

use crate::exact::exact_table;
use crate::owner::owner;
use crate::several::Several;
use crate::shared_tables::SharedTables;
use crate::train::train;
use crate::{Audited, Limits, Observer, Observers, RunError, Stop, TermsError};

/// Trains or solves the spec once for each value. All values are checked before the first is run; one at which nobody
/// can serve all agents is a row that says so. `data_dir` is that of [`prepare`](crate::prepare).
pub fn sweep(
    spec: &Spec,
    field: &str,
    values: &[String],
    data_dir: Option<&Path>,
    path: &Path,
    stop: &Stop,
    observers: &dyn Observers,
) -> Result<Several<Sweep>, RunError> {
    let specs = values
        .iter()
        .map(|value| {
            let value = value.trim().to_owned();
            let own = spec
                .with(field, &value)
                .map_err(|mistakes| RunError::from(mistakes).at(&format!("{field} = {value}")))?;
            Ok((value, own))
        })
        .collect::<Result<Vec<(String, Spec)>, RunError>>()?;
    let (mut points, tables) = (Vec::new(), SharedTables::default());
    for (k, (value, spec)) in specs.iter().enumerate() {
        let what = format!("{field} = {value}");
        let folder = path.join(format!("{k:03}"));
        let mut observer = observers.watch(&what);
        let point = if spec.train.is_some() {
            trained(spec, value, data_dir, &folder, stop, &mut *observer)
        } else {
            solved(spec, value, data_dir, &what, stop, &mut *observer).map(Some)
        };
        let Some(point) = point.map_err(|error| error.at(&what))? else {
            return Ok(Several::Interrupted(folder));
        };
        tables.share(&folder);
        points.push(point);
    }
    let folder = path.display().to_string();
    Ok(Several::Done(Sweep { folder, field: field.to_owned(), owner: owner(spec), points }))
}

fn trained(
    spec: &Spec,
    value: &str,
    data_dir: Option<&Path>,
    folder: &Path,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<Option<SweepPoint>, RunError> {
    let Some(result) = train(spec, data_dir, folder, stop, observer)?.result else {
        return Ok(None);
    };
    let (last, audit) = (&result.last, &result.audit);
    Ok(Some(SweepPoint {
        value: value.to_owned(),
        agents: last.agents.iter().map(|agent| agent.agent.clone()).collect(),
        utilities: last.agents.iter().filter_map(|agent| agent.utility).collect(),
        losses: last.agents.iter().filter_map(|agent| agent.loss).collect(),
        leaving: leaving(audit),
        log_welfare: Some(Number(last.round.log_welfare.unwrap_or(f64::NEG_INFINITY))),
        kappa: Some(audit.kappa),
        everybody: Some(audit.everybody),
        headroom: Some(audit.headroom.unwrap_or(Number(f64::INFINITY))),
        verdict: Some(audit.verdict),
        infeasible: None,
        accuracy: last.round.accuracy,
        test_accuracy: last.round.test_accuracy,
    }))
}

/// The core predictor at its true optimum, audited.
fn solved(
    spec: &Spec,
    value: &str,
    data_dir: Option<&Path>,
    what: &str,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<SweepPoint, RunError> {
    let table = exact_table(spec, data_dir)?;
    let case = &table.case;
    let losses = case.losses();
    let problem = case.problem(&*losses);
    let solution = match case.solve(&problem, Rule::Core) {
        Ok(solution) => solution,
        Err(RunError::Terms(error)) => return unserved(value, &case.names, error),
        Err(error) => return Err(error),
    };
    let limits = Limits { tolerance: spec.tolerance, time_limit: spec.time_limit };
    let what = format!("audit at {what}");
    let audited = Audited::solution(&what, Rule::Core, &solution);
    let (found, _) = case.audit(&problem, &audited, limits, stop, observer)?;
    Ok(SweepPoint {
        value: value.to_owned(),
        agents: case.names.clone(),
        utilities: found.utilities(),
        losses: found.agents.iter().filter_map(|agent| agent.loss).collect(),
        leaving: leaving(&found),
        log_welfare: Some(found.log_welfare.unwrap_or(Number(f64::NEG_INFINITY))),
        kappa: Some(found.kappa),
        everybody: Some(found.everybody),
        headroom: Some(found.headroom.unwrap_or(Number(f64::INFINITY))),
        verdict: Some(found.verdict),
        infeasible: None,
        accuracy: None,
        test_accuracy: None,
    })
}

/// Who would leave a blocked model.
fn leaving(audit: &AuditDocument) -> Vec<String> {
    audit.deviation.as_ref().map_or_else(Vec::new, |deviation| deviation.coalition.clone())
}

/// A value without a model; other mistakes in the terms end the sweep.
fn unserved(value: &str, names: &[String], error: TermsError) -> Result<SweepPoint, RunError> {
    let reason = error.to_string();
    let agents = match error {
        TermsError::Infeasible { agents, .. } => agents,
        TermsError::NotFound { .. } => Vec::new(),
        other => return Err(other.into()),
    };
    Ok(SweepPoint {
        value: value.to_owned(),
        agents: names.to_vec(),
        utilities: Vec::new(),
        losses: Vec::new(),
        leaving: Vec::new(),
        log_welfare: None,
        kappa: None,
        everybody: None,
        headroom: None,
        verdict: None,
        infeasible: Some(Unserved { agents, reason }),
        accuracy: None,
        test_accuracy: None,
    })
}
