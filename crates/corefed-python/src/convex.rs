//! Optima, audits and certificates of convex predictors on rows in memory.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use corefed_audit::Progress;
use corefed_core::{CeilingError, CeilingPolicy, Choice, Weights, linalg::norm_l2};
use corefed_documents::{Document, to_json};
use corefed_run::{Audited, Case, CaseTerms, Limits, Observer, RunError, Stop, TermsError};
use corefed_solve::{Rule, ball_for};
use corefed_verify::{
    AnyCertificate, FileError, Signers, check_attested, check_document, check_files, check_on_data,
    check_veto, parse, parse_any,
};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::raise::{self, Mistake};
use crate::rows::Rows;
use crate::rule::unknown;
use crate::terms::{Told, ceiling_policy};

/// Weights, ceilings and the ball of parameters.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Terms {
    l2: f64,
    radius: f64,
    weights: Vec<f64>,
    ceiling: Told,
}

/// An optimum.
#[pyclass(frozen, get_all)]
pub(crate) struct Fitted {
    parameters: Py<PyArray1<f64>>,
    losses: Vec<f64>,
    utilities: Vec<f64>,
    ceilings: Vec<f64>,
    log_welfare: f64,
    gap: f64,
    iterations: usize,
    converged: bool,
    norm: f64,
}

#[pymethods]
impl Rows {
    /// The optimum of a rule.
    fn solve(&self, py: Python<'_>, terms: Terms, rule: &str) -> PyResult<Fitted> {
        let rule = Rule::of_word(rule)
            .ok_or_else(|| unknown("rule", rule, Rule::WORDS.iter().map(|(_, word, _)| *word)))?;
        let (found, ceilings) = py.detach(|| {
            let case = self.case(&terms, terms.radius)?;
            let losses = case.losses();
            let problem = case.problem(&*losses);
            let found = case.solve(&problem, rule).map_err(|error| self.mistake(&error))?;
            Ok::<_, Mistake>((found, case.ceilings.clone()))
        })?;
        Ok(Fitted {
            norm: norm_l2(&found.params),
            parameters: found.params.into_pyarray(py).unbind(),
            losses: found.losses,
            utilities: found.utilities,
            ceilings,
            log_welfare: found.log_welfare,
            gap: found.gap,
            iterations: found.steps,
            converged: found.converged,
        })
    }

    /// Audits parameters against every rival in the ball: the audit and the certificate, as JSON.
    fn certify(
        &self,
        py: Python<'_>,
        parameters: Vec<f64>,
        terms: Terms,
        tolerance: f64,
        time_limit: f64,
    ) -> PyResult<(String, String)> {
        let mut signals = Signals { stop: Stop::default(), raised: None };
        let stop = signals.stop.clone();
        let documents = py.detach(|| -> Result<(String, String), Mistake> {
            // `terms.radius` is what the user asked for; a model on the sphere gets a ball that contains it.
            let Some(radius) = ball_for(terms.radius, &parameters) else {
                let (what, norm) = ("the parameters".to_owned(), norm_l2(&parameters));
                let radius = terms.radius;
                return Err(raise::run(&TermsError::OutsideBall { what, norm, radius }.into()));
            };
            let case = self.case(&terms, radius)?;
            let losses = case.losses();
            if parameters.len() != losses.dim() {
                let (found, expected) = (parameters.len(), losses.dim());
                let message = format!("{found} parameters where {expected} belong");
                return Err(Mistake::input("parameters", message));
            }
            let problem = case.problem(&*losses);
            let audited = Audited::given("audit", &parameters);
            let limits = Limits { tolerance, time_limit };
            let written = case
                .audit(&problem, &audited, limits, &stop, &mut signals)
                .and_then(|(audit, certificate)| Ok((audit.to_json()?, to_json(&certificate)?)));
            written.map_err(|error| self.mistake(&error))
        });
        match signals.raised {
            Some(error) => Err(error),
            None => Ok(documents?),
        }
    }

    /// Checks a certificate on these rows: what was checked, what was not.
    fn verify(&self, certificate: &str) -> PyResult<(Vec<String>, Vec<String>)> {
        let certificate = parse(certificate).map_err(|error| raise::certificate(&error))?;
        let checked = check_on_data(&certificate, &self.federation, &self.digest)
            .map_err(|error| raise::certificate(&error))?;
        Ok((checked.checked, checked.unchecked))
    }
}

/// How far a check went, what was checked, and what was not.
type Outcome = (&'static str, Vec<String>, Vec<String>);

/// Checks that a certificate agrees with itself.
#[pyfunction]
pub(crate) fn verify_document(certificate: &str) -> PyResult<Outcome> {
    let certificate = parse_any(certificate).map_err(|error| raise::certificate(&error))?;
    let checked = match &certificate {
        AnyCertificate::Core(certificate) => check_document(certificate),
        AnyCertificate::Veto(certificate) => check_veto(certificate),
        AnyCertificate::Attested(certificate) => check_attested(certificate),
    };
    let checked = checked.map_err(|error| raise::certificate(&error))?;
    Ok((status(&certificate, "consistent"), checked.checked, checked.unchecked))
}

/// Where agents keep their rows, how far a check went is a question of who signed.
fn status(certificate: &AnyCertificate, otherwise: &'static str) -> &'static str {
    match certificate {
        AnyCertificate::Attested(certificate) => Signers::of(certificate).status(),
        AnyCertificate::Core(_) | AnyCertificate::Veto(_) => otherwise,
    }
}

/// Checks a certificate on the file, of several, that it speaks of.
#[pyfunction]
pub(crate) fn verify_files(
    py: Python<'_>,
    certificate: &str,
    files: Vec<PathBuf>,
) -> PyResult<Outcome> {
    let certificate = parse_any(certificate).map_err(|error| raise::certificate(&error))?;
    let checked = py.detach(|| check_files(&certificate, &files)).map_err(|error| match error {
        FileError::Refused(error) => raise::certificate(&error),
        FileError::Data(error) => raise::run(&error.into()),
    })?;
    Ok((status(&certificate, "verified"), checked.checked, checked.unchecked))
}

/// Looks for Ctrl-C while an audit searches, and ends it.
struct Signals {
    stop: Stop,
    raised: Option<PyErr>,
}

impl Observer for Signals {
    fn searching(&mut self, _: &str, _: &Progress, _: Duration) {
        #[expect(clippy::redundant_closure_for_method_calls, reason = "lifetimes differ")]
        let found = Python::attach(|py| py.check_signals());
        if let Err(error) = found {
            self.raised = Some(error);
            self.stop.ask();
        }
    }
}

impl Rows {
    /// These rows under some terms, in a ball that contains the model.
    fn case(&self, terms: &Terms, ball: f64) -> Result<Case, Mistake> {
        let weights =
            Weights::new(terms.weights.clone()).map_err(|error| raise::weight("weights", error))?;
        let asked = CaseTerms {
            family: self.family,
            l2: terms.l2,
            radius: terms.radius,
            weights,
            ceiling: policy(&terms.ceiling)?,
            held_out: None,
        };
        let case = Case::of(
            Arc::clone(&self.federation),
            self.encoding.clone(),
            self.digest.clone(),
            "the data".to_owned(),
            asked,
        );
        Ok(case.map_err(|error| self.mistake(&error))?.in_ball(ball))
    }

    /// An error with the agent it is about.
    fn mistake(&self, error: &RunError) -> Mistake {
        let name = match error {
            RunError::Ceiling(CeilingError::NotPositive { agent, .. }) => Some(agent),
            RunError::Terms(TermsError::Infeasible { agents, .. }) => agents.first(),
            _ => None,
        };
        let agents = self.federation.agents();
        let agent = name.and_then(|name| agents.iter().position(|agent| agent.name == *name));
        Mistake { agent, ..raise::run(error) }
    }
}

fn policy(asked: &Told) -> Result<CeilingPolicy, Mistake> {
    match asked {
        Told::PerAgent(values) => Ok(CeilingPolicy::PerAgent(values.clone())),
        Told::Policy(text) => ceiling_policy(text, "ceiling"),
    }
}
