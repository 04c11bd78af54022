//! What an agent with a table answers to an exact audit: numbers about points, what ceilings go by, and its
//! signature.

use std::collections::BTreeSet;
use std::path::Path;

use corefed_core::{AttestedCertificate, Feature, Predictor};
use corefed_documents::to_json;
use corefed_model::ConvexLosses;
use corefed_run::{check_declared, declaration, new_key, read_key};
use corefed_verify::attest;
use pyo3::prelude::*;

use crate::answering::{Answer, Question};
use crate::linear_agent::LinearAgent;
use crate::raise::{self, Mistake};
use crate::run_folder::parse;
use crate::terms::declared_policy;

#[pymethods]
impl LinearAgent {
    /// Numbers in its table: rows times columns that are used, the target included.
    #[getter]
    fn cells(&self) -> usize {
        let column = |feature: &Feature| match feature {
            Feature::Numeric { column, .. } | Feature::Level { column, .. } => Some(column.clone()),
            Feature::Intercept => None,
        };
        let columns: BTreeSet<String> = self.encoding.features.iter().filter_map(column).collect();
        self.federation.agents()[0].samples() * (columns.len() + 1)
    }

    /// Answers one round of questions, unless that goes beyond the budget.
    fn answer<'py>(&self, py: Python<'py>, question: Question<'py>) -> PyResult<Answer<'py>> {
        let losses = self.losses();
        question.posed(losses.dim())?.answer(py, &losses, self.cells())
    }

    /// What a policy of ceilings goes by, as far as these rows tell; own models lie in a ball of this radius.
    fn declare(&self, py: Python<'_>, policy: &str, radius: f64) -> PyResult<Vec<f64>> {
        let policy = declared_policy(policy)?;
        let predictor = Predictor {
            family: self.family,
            l2: self.l2,
            radius,
            encoding: self.encoding.clone(),
            parameters: Vec::new(),
        };
        let told = py.detach(|| declaration(&policy, &predictor, &self.federation));
        let nothing = || Mistake::input("policy", format!("`{policy}` needs nothing of agents"));
        Ok(told.ok_or_else(nothing)?)
    }

    /// Checks a certificate, its own answers in it on its rows, and its ceiling where these rows give it, and
    /// signs with the key in a file. Both documents are JSON.
    fn attest(&self, py: Python<'_>, certificate: &str, key: &str) -> PyResult<String> {
        let certificate: AttestedCertificate = parse("certificate", certificate)?;
        let same = certificate.terms.predictor.known().is_some_and(|predictor| {
            predictor.encoding == self.encoding
                && predictor.family == self.family
                && predictor.l2.to_bits() == self.l2.to_bits()
        });
        if !same {
            let message = "the certificate is about another encoding, family or ridge than the \
                           agent's own";
            return Err(Mistake::input("certificate", message).into());
        }
        let key = read_key(Path::new(key)).map_err(|error| raise::run(&error))?;
        let name = &self.federation.agents()[0].name;
        let signed = py.detach(|| {
            let (attestation, _) = attest(&certificate, name, &self.federation, &key)?;
            check_declared(&certificate, name, &self.federation)?;
            Ok(attestation)
        });
        let attestation = signed.map_err(|error| raise::certificate(&error))?;
        Ok(to_json(&attestation).map_err(|error| raise::run(&error.into()))?)
    }
}

/// The public half of the key in a file, which is made of the two random halves if there is none.
#[pyfunction]
pub(crate) fn public_key(path: &str, secret: [u8; 32], salt: [u8; 32]) -> PyResult<String> {
    let path = Path::new(path);
    let key = if path.exists() { read_key(path) } else { new_key(path, secret, salt) };
    Ok(key.map_err(|error| raise::run(&error))?.public())
}
