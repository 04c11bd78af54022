//! One key of a spec, several values.

use std::path::{Path, PathBuf};

use corefed_core::Number;
use corefed_documents::{AuditDocument, Sweep, SweepPoint, Unserved};
use corefed_solve::Rule;
use corefed_spec::{Alone, Spec};

use crate::exact::exact_table;
use crate::owner::owner;
use crate::several::Several;
use crate::shared_tables::SharedTables;
use crate::side_by_side::{Batches, jobs, on_device, side_by_side};
use crate::train::train_or_resume;
use crate::{Audited, Limits, Observer, Observers, RunError, Stop, TermsError};

/// Trains or solves the spec once for each value, at most `at_once` trainings at a time; trainings that are there
/// already are taken up. All values are checked before the first is run; one at which nobody can serve all agents is a row that says so. `data_dir` is that of
/// [`prepare`](crate::prepare).
pub fn sweep(
    spec: &Spec,
    (field, values): (&str, &[String]),
    data_dir: Option<&Path>,
    path: &Path,
    at_once: Option<usize>,
    stop: &Stop,
    observers: &dyn Observers,
) -> Result<Several<Sweep>, RunError> {
    let specs = values
        .iter()
        .map(|value| {
            let value = value.trim().to_owned();
            let mut own = spec
                .with(field, &value)
                .map_err(|mistakes| RunError::from(mistakes).at(&format!("{field} = {value}")))?;
            // A sweep tells utilities and losses, which own models do not change.
            if let Some(train) = own.train.as_mut().filter(|train| train.alone == Alone::Auto) {
                train.alone = Alone::Off;
            }
            Ok((value, own))
        })
        .collect::<Result<Vec<(String, Spec)>, RunError>>()?;
    // The key may be the device; one exact audit uses all threads by itself.
    let (any, trains) = match specs.iter().find(|(_, own)| on_device(own)).or(specs.first()) {
        Some((_, own)) => (own, own.train.is_some()),
        None => (spec, false),
    };
    let jobs = if trains { jobs(at_once, any) } else { 1 };
    let tables = SharedTables::default();
    let all = Values { field, specs: &specs, data_dir, path, tables, observers };
    let Some(came) = side_by_side(&all, any, jobs, stop)? else {
        return Ok(Several::Interrupted);
    };
    let points = came.into_iter().flat_map(|((), points)| points).collect();
    let folder = path.display().to_string();
    Ok(Several::Done(Sweep { folder, field: field.to_owned(), owner: owner(spec), points }))
}

/// The values of a key, each with its spec. They share no data: any key may change them.
struct Values<'a> {
    field: &'a str,
    specs: &'a [(String, Spec)],
    data_dir: Option<&'a Path>,
    path: &'a Path,
    tables: SharedTables,
    observers: &'a dyn Observers,
}

impl Values<'_> {
    fn folder(&self, place: usize) -> PathBuf {
        self.path.join(format!("{place:03}"))
    }
}

impl Batches for Values<'_> {
    type Shared = usize;
    type About = ();
    type Came = SweepPoint;
    type Error = RunError;

    fn count(&self) -> usize {
        self.specs.len()
    }

    fn begin(&self, place: usize) -> Result<usize, RunError> {
        Ok(place)
    }

    fn about(&self, _: &usize) {}

    fn order(&self, _: &usize) -> Vec<usize> {
        vec![0]
    }

    fn train(&self, &at: &usize, _: usize, stop: &Stop) -> Result<Option<SweepPoint>, RunError> {
        let (value, spec) = &self.specs[at];
        let what = format!("{} = {value}", self.field);
        let folder = self.folder(at);
        let mut observer = self.observers.watch(&what);
        let point = if spec.train.is_some() {
            trained(spec, value, self.data_dir, &folder, stop, &mut *observer)
        } else {
            let point = solved(spec, value, self.data_dir, &what, stop, &mut *observer);
            // An audit that was stopped says what depends on when.
            point.map(|point| (!stop.is_asked()).then_some(point))
        };
        let point = point.map_err(|error| error.at(&what))?;
        if point.is_some() {
            self.tables.share(&folder);
        }
        Ok(point)
    }
}

fn trained(
    spec: &Spec,
    value: &str,
    data_dir: Option<&Path>,
    folder: &Path,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<Option<SweepPoint>, RunError> {
    let Some(result) = train_or_resume(spec, data_dir, folder, stop, observer)?.result else {
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
    let solution = match case.solve_within(&problem, Rule::Core, spec.time_limit) {
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
