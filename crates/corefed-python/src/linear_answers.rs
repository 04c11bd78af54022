//! What an agent with a table answers to an exact audit: numbers about points, and its signature.

use std::collections::BTreeSet;
use std::path::Path;

use corefed_core::{AttestedCertificate, Feature};
use corefed_documents::to_json;
use corefed_model::ConvexLosses;
use corefed_remote::{Account, Asked, Oracle, Request, RowOracle};
use corefed_run::{new_key, read_key};
use corefed_verify::attest;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::linear_agent::LinearAgent;
use crate::raise::{self, Mistake};
use crate::run_folder::parse;

/// What an agent is asked about points, and on which terms it answers.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Question<'py> {
    round: usize,
    points: PyReadonlyArray2<'py, f64>,
    gradients: Vec<usize>,
    hessians: Vec<usize>,
    own: bool,
    /// Of the ball in which its own best predictor lies.
    radius: f64,
    /// Numbers it answered before.
    answered: usize,
    /// Numbers per cell beyond which it refuses.
    budget: Option<f64>,
}

/// Losses, gradients, Hessians, its own best predictor, the digest of the points, and all numbers answered.
type Answer<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Option<Bound<'py, PyArray1<f64>>>,
    String,
    usize,
);

#[pymethods]
impl LinearAgent {
    /// Numbers in its table: rows times columns that are used, the target included.
    #[getter]
    fn cells(&self) -> usize {
        self.account(0, None).cells
    }

    /// Answers one round of questions, unless that goes beyond the budget.
    fn answer<'py>(&self, py: Python<'py>, question: Question<'py>) -> PyResult<Answer<'py>> {
        let Question { round, points, gradients, hessians, own, radius, answered, budget } =
            question;
        let points: Vec<Vec<f64>> =
            points.as_array().rows().into_iter().map(|row| row.to_vec()).collect();
        let losses = self.losses();
        let dim = losses.dim();
        if let Some(wrong) = points.iter().find(|point| point.len() != dim) {
            let message = format!("points have {} parameters, the table needs {dim}", wrong.len());
            return Err(Mistake::input("points", message).into());
        }
        if gradients.iter().chain(&hessians).any(|&place| place >= points.len()) {
            return Err(Mistake::input("gradients", "a place is beyond the points").into());
        }
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(Mistake::input("radius", "the radius must be positive").into());
        }
        let asked = Asked { gradients, hessians, own, ceiling: false };
        let request = Request { round, points, asked };
        let account = self.account(answered, budget);
        let (told, account) = py
            .detach(|| {
                let mut oracle = RowOracle::new(&losses, 0, radius, None, account);
                oracle.answer(&request).map(|told| (told, oracle.account))
            })
            .map_err(|refusal| Mistake {
                hint: Some(refusal.hint().to_owned()),
                ..Mistake::input("budget", refusal.to_string())
            })?;
        let triangle = dim * (dim + 1) / 2;
        Ok((
            told.losses.into_pyarray(py),
            matrix(py, told.gradients, dim)?,
            matrix(py, told.hessians, triangle)?,
            told.own.map(|own| own.into_pyarray(py)),
            told.points,
            account.answered,
        ))
    }

    /// Checks a certificate, and its own answers in it on its rows, and signs them with the key in a file.
    /// Both documents are JSON.
    fn attest(&self, py: Python<'_>, certificate: &str, key: &str) -> PyResult<String> {
        let certificate: AttestedCertificate = parse("certificate", certificate)?;
        let predictor = &certificate.terms.predictor;
        let same = predictor.encoding == self.encoding
            && predictor.family == self.family
            && predictor.l2.to_bits() == self.l2.to_bits();
        if !same {
            let message = "the certificate is about another encoding, family or ridge than the \
                           agent's own";
            return Err(Mistake::input("certificate", message).into());
        }
        let key = read_key(Path::new(key)).map_err(|error| raise::run(&error))?;
        let name = &self.federation.agents()[0].name;
        let signed = py.detach(|| attest(&certificate, name, &self.federation, &key));
        let (attestation, _) = signed.map_err(|error| raise::certificate(&error))?;
        Ok(to_json(&attestation).map_err(|error| raise::run(&error.into()))?)
    }
}

impl LinearAgent {
    fn account(&self, answered: usize, budget: Option<f64>) -> Account {
        let column = |feature: &Feature| match feature {
            Feature::Numeric { column, .. } | Feature::Level { column, .. } => Some(column.clone()),
            Feature::Intercept => None,
        };
        let columns: BTreeSet<String> = self.encoding.features.iter().filter_map(column).collect();
        let rows = self.federation.agents()[0].samples();
        Account { answered, ..Account::new(rows, columns.len(), budget) }
    }
}

/// The public half of the key in a file, which is made of the two random halves if there is none.
#[pyfunction]
pub(crate) fn public_key(path: &str, secret: [u8; 32], salt: [u8; 32]) -> PyResult<String> {
    let path = Path::new(path);
    let key = if path.exists() { read_key(path) } else { new_key(path, secret, salt) };
    Ok(key.map_err(|error| raise::run(&error))?.public())
}

/// Rows of equal length as an array, of that width also where there is none.
fn matrix(py: Python<'_>, rows: Vec<Vec<f64>>, width: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let shape = (rows.len(), width);
    let array = numpy::ndarray::Array2::from_shape_vec(shape, rows.concat())
        .map_err(|error| Mistake::input("points", error.to_string()))?;
    Ok(array.into_pyarray(py))
}
