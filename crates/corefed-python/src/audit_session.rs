//! An exact audit by questions, for a program that carries them: numbers as arrays, documents as JSON.

use corefed_core::AttestedCertificate;
use corefed_documents::to_json;
use corefed_remote::{Answers, BadAnswer, Outcome, Questions, Session, Setup, Step};
use corefed_verify::{merge, parse_signed, seal};
use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use serde_json::json;

use crate::raise::{self, Mistake};
use crate::run_folder::parse;

/// What an agent answered, as it arrived.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Arrived<'py> {
    round: usize,
    /// The digest of the points.
    points: String,
    losses: PyReadonlyArray1<'py, f64>,
    gradients: PyReadonlyArray2<'py, f64>,
    hessians: PyReadonlyArray2<'py, f64>,
    own: Option<PyReadonlyArray1<'py, f64>>,
}

/// What is asked of an agent besides losses: places of gradients and of Hessians, and whether its own best
/// predictor is.
type Wanted = (Vec<usize>, Vec<usize>, bool);

/// The coordinator's side. Agents are given by their places in the setup.
#[pyclass]
pub(crate) struct AuditSession {
    session: Session,
    agents: usize,
    open: Option<Questions>,
    outcome: Option<Outcome>,
}

#[pymethods]
impl AuditSession {
    /// Starts a session; `setup` is JSON.
    #[new]
    fn new(setup: &str) -> PyResult<Self> {
        let setup: Setup = parse("setup", setup)?;
        let agents = setup.agents.len();
        let session = Session::new(setup).map_err(|error| Mistake {
            hint: Some(error.hint().to_owned()),
            ..Mistake::input("setup", error.to_string())
        })?;
        Ok(Self { session, agents, open: None, outcome: None })
    }

    /// The round to ask and its points, one in a row; `None` when there is nothing left to ask.
    fn next<'py>(
        &mut self,
        py: Python<'py>,
    ) -> PyResult<Option<(usize, Bound<'py, PyArray2<f64>>)>> {
        let session = &mut self.session;
        match py.detach(|| session.next()) {
            Step::Ask(questions) => {
                let points = PyArray2::from_vec2(py, &questions.points)
                    .map_err(|error| Mistake::input("setup", error.to_string()))?;
                let round = questions.round;
                self.open = Some(questions);
                Ok(Some((round, points)))
            }
            Step::Done(outcome) => {
                (self.open, self.outcome) = (None, Some(outcome));
                Ok(None)
            }
        }
    }

    /// Agents that the open round waits for.
    fn missing(&self) -> Vec<usize> {
        self.session.missing().collect()
    }

    /// What an agent is asked in the open round.
    fn asked(&self, agent: usize) -> PyResult<Wanted> {
        let agent = self.checked(agent)?;
        let asked = self.open.as_ref().and_then(|open| open.asked[agent].as_ref());
        let asked = asked.ok_or_else(|| Mistake::input("agent", "it is not asked"))?;
        Ok((asked.gradients.clone(), asked.hessians.clone(), asked.own))
    }

    /// Takes an agent's answers, or says what is wrong with them and keeps nothing. Gives them as JSON.
    fn receive(&mut self, agent: usize, answers: Arrived<'_>) -> PyResult<String> {
        let rows = |array: &PyReadonlyArray2<'_, f64>| {
            array.as_array().rows().into_iter().map(|row| row.to_vec()).collect()
        };
        let answers = Answers {
            round: answers.round,
            points: answers.points,
            losses: answers.losses.as_array().to_vec(),
            gradients: rows(&answers.gradients),
            hessians: rows(&answers.hessians),
            own: answers.own.map(|own| own.as_array().to_vec()),
            ceiling: None,
        };
        let text = to_json(&answers).map_err(|error| raise::run(&error.into()))?;
        self.take(agent, answers)?;
        Ok(text)
    }

    /// Takes answers that were kept as JSON.
    fn replay(&mut self, agent: usize, answers: &str) -> PyResult<()> {
        let answers = parse("answers", answers)?;
        self.take(agent, answers)
    }

    /// Notes that an agent answers no more.
    fn refuse(&mut self, agent: usize) -> PyResult<()> {
        let agent = self.checked(agent)?;
        self.session.refuse(agent);
        Ok(())
    }

    /// What came of it, as JSON.
    fn outcome(&self) -> PyResult<String> {
        let found = self.found()?;
        let told = json!({
            "ended": found.ended,
            "rounds": found.rounds,
            "training_rounds": found.training_rounds,
            "training_gap": found.training_gap,
            "points": found.points,
            "parameters": found.parameters,
            "traffic": found.traffic,
            "absent": found.absent,
        });
        Ok(told.to_string())
    }

    /// The certificate for agents to sign, as JSON: every claim is what the answers prove. `keys` are their
    /// public keys.
    fn certificate(&self, py: Python<'_>, keys: Vec<Option<String>>) -> PyResult<String> {
        let mut draft = self.found()?.draft.clone();
        for (party, key) in draft.terms.agents.iter_mut().zip(keys) {
            party.key = key;
        }
        let sealed = py.detach(|| seal(draft)).map_err(|error| raise::certificate(&error))?;
        Ok(to_json(&sealed).map_err(|error| raise::run(&error.into()))?)
    }
}

impl AuditSession {
    fn take(&mut self, agent: usize, answers: Answers) -> PyResult<()> {
        let agent = self.checked(agent)?;
        Ok(self.session.receive(agent, answers).map_err(|error| wrong(agent, &error))?)
    }

    fn checked(&self, agent: usize) -> PyResult<usize> {
        if agent < self.agents {
            return Ok(agent);
        }
        Err(Mistake::input("agent", format!("there is no agent {agent}")).into())
    }

    fn found(&self) -> PyResult<&Outcome> {
        let found = self.outcome.as_ref();
        Ok(found.ok_or_else(|| Mistake::input("session", "there are questions left"))?)
    }
}

/// Puts one agent's signed answers into a certificate; all three are JSON.
#[pyfunction]
pub(crate) fn merge_attestation(certificate: &str, attestation: &str) -> PyResult<String> {
    let certificate: AttestedCertificate = parse("certificate", certificate)?;
    let merged = parse_signed(attestation)
        .and_then(|signed| merge(certificate, [signed]))
        .map_err(|error| raise::certificate(&error))?;
    Ok(to_json(&merged).map_err(|error| raise::run(&error.into()))?)
}

fn wrong(agent: usize, error: &BadAnswer) -> Mistake {
    Mistake {
        agent: Some(agent),
        hint: Some(error.hint().to_owned()),
        ..Mistake::input("answers", error.to_string())
    }
}
