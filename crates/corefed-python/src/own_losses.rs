//! A convex loss that a function of Python computes.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use corefed_core::linalg::{axpy, dot};
use corefed_model::ConvexLosses;
use numpy::{IntoPyArray, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

/// A loss and its gradient.
type Evaluated = (f64, Vec<f64>);

/// Loss and gradient of one agent, and its Hessian, by functions of Python that have checked what they give.
pub(crate) struct OwnLosses<'a> {
    pub(crate) evaluate: &'a Py<PyAny>,
    pub(crate) hessian: &'a Py<PyAny>,
    pub(crate) dim: usize,
    pub(crate) l2: f64,
    /// What was computed, by the bits of the point: it is asked for more than once.
    known: Mutex<BTreeMap<Vec<u64>, Evaluated>>,
    /// The first exception. After it nothing is called, and nothing is a number.
    failed: Mutex<Option<PyErr>>,
}

impl<'a> OwnLosses<'a> {
    pub(crate) fn new(
        (evaluate, hessian): (&'a Py<PyAny>, &'a Py<PyAny>),
        dim: usize,
        l2: f64,
    ) -> Self {
        let (known, failed) = (Mutex::default(), Mutex::default());
        Self { evaluate, hessian, dim, l2, known, failed }
    }

    /// Loss and gradient at a point.
    pub(crate) fn at(&self, point: &[f64]) -> Evaluated {
        let bits: Vec<u64> = point.iter().map(|value| value.to_bits()).collect();
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&bits) {
            return found.clone();
        }
        let found = self.called(|py| {
            let told = self.evaluate.call1(py, (point.to_vec().into_pyarray(py),))?;
            let (loss, gradient): (f64, PyReadonlyArray1<'_, f64>) = told.extract(py)?;
            Ok((loss, gradient.as_array().to_vec()))
        });
        match found.filter(|(_, gradient)| gradient.len() == self.dim) {
            Some(found) => {
                known().insert(bits, found.clone());
                found
            }
            None => (f64::NAN, vec![f64::NAN; self.dim]),
        }
    }

    /// The Hessian at a point, row by row.
    fn hessian(&self, point: &[f64]) -> Vec<f64> {
        let found = self.called(|py| {
            let told = self.hessian.call1(py, (point.to_vec().into_pyarray(py),))?;
            let told: PyReadonlyArray2<'_, f64> = told.extract(py)?;
            Ok(told.as_array().iter().copied().collect::<Vec<f64>>())
        });
        let whole = self.dim * self.dim;
        found.filter(|found| found.len() == whole).unwrap_or_else(|| vec![f64::NAN; whole])
    }

    /// Calls Python, unless that failed before.
    fn called<T>(&self, call: impl FnOnce(Python<'_>) -> PyResult<T>) -> Option<T> {
        let failed = || self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed().is_some() {
            return None;
        }
        match Python::attach(call) {
            Ok(found) => Some(found),
            Err(error) => {
                failed().get_or_insert(error);
                None
            }
        }
    }

    /// What went wrong, if anything did.
    pub(crate) fn failure(&self) -> PyResult<()> {
        match self.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

impl ConvexLosses for OwnLosses<'_> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn agents(&self) -> usize {
        1
    }

    fn strong_convexity(&self) -> f64 {
        self.l2
    }

    fn losses(&self, params: &[f64], _members: &[usize], losses: &mut [f64]) {
        losses.fill(self.at(params).0);
    }

    fn gradients(
        &self,
        params: &[f64],
        _members: &[usize],
        losses: &mut [f64],
        gradients: &mut [f64],
    ) {
        let (loss, gradient) = self.at(params);
        losses.fill(loss);
        gradients.copy_from_slice(&gradient);
    }

    fn add_hessian(
        &self,
        params: &[f64],
        _members: &[usize],
        coefficients: &[f64],
        hessian: &mut [f64],
    ) {
        let own = self.hessian(params);
        let rows = hessian.chunks_exact_mut(self.dim).zip(own.chunks_exact(self.dim));
        for (row, (out, own)) in rows.enumerate() {
            axpy(coefficients[0], &own[..=row], &mut out[..=row]);
        }
    }

    fn hessian_vector(
        &self,
        params: &[f64],
        _members: &[usize],
        coefficients: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) {
        let own = self.hessian(params);
        for (out, row) in product.iter_mut().zip(own.chunks_exact(self.dim)) {
            *out = coefficients[0] * dot(row, direction);
        }
    }
}
