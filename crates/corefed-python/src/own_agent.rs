//! An agent with a convex model of its own: its losses are what a function of Python says.

use std::path::Path;

use corefed_core::{AgreedModel, AttestedCertificate};
use corefed_documents::to_json;
use corefed_model::ConvexLosses;
use corefed_run::{Posed, check_ceiling, read_key};
use corefed_solve::{Ball, own_models};
use corefed_spec::Ceiling;
use corefed_verify::{OwnAnswers, attest_own_model, check_attested};
use pyo3::prelude::*;

use crate::answering::{Answer, Question, arrays};
use crate::linear_agent::mistake;
use crate::own_losses::OwnLosses;
use crate::raise::{self, Mistake};
use crate::run_folder::parse;
use crate::terms::declared_policy;

/// A convex loss, by functions that give loss and gradient, and a Hessian, ridge included.
#[pyclass(frozen)]
pub(crate) struct OwnAgent {
    model: String,
    evaluate: Py<PyAny>,
    hessian: Py<PyAny>,
    dim: usize,
    l2: f64,
    samples: usize,
    cells: usize,
}

#[pymethods]
impl OwnAgent {
    #[new]
    fn new(
        model: String,
        evaluate: Py<PyAny>,
        hessian: Py<PyAny>,
        dim: usize,
        l2: f64,
        samples: usize,
        cells: usize,
    ) -> Self {
        Self { model, evaluate, hessian, dim, l2, samples, cells }
    }

    /// Answers one round of questions, unless that goes beyond the budget.
    fn answer<'py>(&self, py: Python<'py>, question: Question<'py>) -> PyResult<Answer<'py>> {
        let Question { radius, answered, budget, .. } = question;
        let posed = Posed::new(question.request(), self.dim, radius, answered, budget);
        let posed = posed.map_err(mistake)?;
        let (losses, request) = (self.losses(), posed.request());
        let own = request.asked.own.then(|| vec![0.0; self.dim]);
        // Before anything is searched: a function that fails is told at the point where it does.
        py.detach(|| {
            for point in request.points.iter().chain(&own) {
                losses.at(point);
            }
        });
        losses.failure()?;
        let answer = py.detach(|| posed.answer(&losses, self.cells));
        losses.failure()?;
        let (told, answered) = answer.map_err(mistake)?;
        arrays(py, told, answered, self.dim)
    }

    /// What a policy of ceilings goes by: the loss of the best model for this agent alone in a ball.
    fn declare(&self, py: Python<'_>, policy: &str, radius: f64) -> PyResult<Vec<f64>> {
        match declared_policy(policy)? {
            Ceiling::Alone(_) => Ok(vec![self.alone(py, radius)?]),
            other => {
                let message = format!(
                    "ceilings go by `{other}`, which is not known of a model of the agents' own"
                );
                let hint = Some("use numbers, `initial:F` or `alone:F`".to_owned());
                Err(Mistake { hint, ..Mistake::input("policy", message) }.into())
            }
        }
    }

    /// Checks a certificate, its own answers in it by its own functions, and its ceiling where these give it,
    /// and signs with the key in a file, which says who it is; `data` are bytes that stand for its rows.
    fn attest(
        &self,
        py: Python<'_>,
        certificate: &str,
        key: &str,
        data: &[u8],
    ) -> PyResult<String> {
        let certificate: AttestedCertificate = parse("certificate", certificate)?;
        let same = matches!(&certificate.terms.predictor, AgreedModel::Own(own)
            if own.own == self.model
                && own.l2.to_bits() == self.l2.to_bits()
                && own.parameters.len() == self.dim);
        if !same {
            let message = "the certificate is about another model, ridge or number of parameters \
                           than the agent's own";
            return Err(Mistake::input("certificate", message).into());
        }
        // Places of points are checked before they are used.
        py.detach(|| check_attested(&certificate)).map_err(|error| raise::certificate(&error))?;
        let key = read_key(Path::new(key)).map_err(|error| raise::run(&error))?;
        let agent = key.owner(&certificate).map_err(|error| raise::certificate(&error))?;
        let agents = certificate.terms.agents.iter().zip(&certificate.attestations);
        let Some((party, stated)) = agents.into_iter().find(|(party, _)| party.name == agent)
        else {
            unreachable!("a key belongs to an agent of the terms")
        };
        let losses = self.losses();
        let computed: Vec<(f64, Vec<f64>)> = py.detach(|| {
            let leaves = stated.leaves.iter();
            leaves.map(|leaf| losses.at(&certificate.points[leaf.point])).collect()
        });
        losses.failure()?;
        if let Ok(Ceiling::Alone(factor)) = party.policy.parse() {
            let actual = factor * self.alone(py, certificate.terms.predictor.radius())?;
            check_ceiling(party, actual).map_err(|error| raise::certificate(&error))?;
        }
        let own = OwnAnswers { computed: &computed, samples: self.samples, data };
        let signed = py.detach(|| attest_own_model(&certificate, agent, own, &key));
        let (attestation, _) = signed.map_err(|error| raise::certificate(&error))?;
        Ok(to_json(&attestation).map_err(|error| raise::run(&error.into()))?)
    }
}

impl OwnAgent {
    fn losses(&self) -> OwnLosses<'_> {
        OwnLosses::new((&self.evaluate, &self.hessian), self.dim, self.l2)
    }

    /// Its loss under the best model for it alone in a ball.
    fn alone(&self, py: Python<'_>, radius: f64) -> PyResult<f64> {
        let losses = self.losses();
        py.detach(|| losses.at(&vec![0.0; self.dim]));
        losses.failure()?;
        let found = py.detach(|| own_models(&losses, &Ball::about_zero(losses.dim(), radius)));
        losses.failure()?;
        Ok(found[0].losses[0])
    }
}
