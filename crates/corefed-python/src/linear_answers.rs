//! What an agent with a table answers to an exact audit, for Python.

use std::path::Path;

use corefed_core::AttestedCertificate;
use corefed_documents::to_json;
use corefed_run::{new_key, read_key};
use pyo3::prelude::*;

use crate::answering::{Answer, Question, arrays};
use crate::linear_agent::{LinearAgent, mistake};
use crate::raise;
use crate::run_folder::parse;

#[pymethods]
impl LinearAgent {
    /// Numbers in its table: rows times columns that are used, the target included.
    #[getter]
    fn cells(&self) -> usize {
        self.0.cells()
    }

    /// Answers one round of questions, unless that goes beyond the budget.
    fn answer<'py>(&self, py: Python<'py>, question: Question<'py>) -> PyResult<Answer<'py>> {
        let Question { radius, answered, budget, .. } = question;
        let request = question.request();
        let told = py.detach(|| self.0.answer(request, radius, answered, budget));
        let (told, answered) = told.map_err(mistake)?;
        arrays(py, told, answered, self.0.dim())
    }

    /// What a policy of ceilings goes by, as far as these rows tell; own models lie in a ball of this radius.
    fn declare(&self, py: Python<'_>, policy: &str, radius: f64) -> PyResult<Vec<f64>> {
        Ok(py.detach(|| self.0.declare(policy, radius)).map_err(mistake)?)
    }

    /// Checks a certificate, its own answers in it on its rows, and its ceiling where these rows give it, and
    /// signs with the key in a file. Both documents are JSON.
    fn attest(&self, py: Python<'_>, certificate: &str, key: &str) -> PyResult<String> {
        let certificate: AttestedCertificate = parse("certificate", certificate)?;
        let key = read_key(Path::new(key)).map_err(|error| raise::run(&error))?;
        let attestation = py.detach(|| self.0.attest(&certificate, &key)).map_err(mistake)?;
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
