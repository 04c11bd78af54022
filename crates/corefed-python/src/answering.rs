//! One round of questions to an agent in this process: what it is asked, and its answer as arrays.

use corefed_remote::{Answers, Asked, Request};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::raise::Mistake;

/// What an agent is asked about points, and on which terms it answers.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Question<'py> {
    round: usize,
    points: PyReadonlyArray2<'py, f64>,
    gradients: Vec<usize>,
    hessians: Vec<usize>,
    own: bool,
    /// Of the ball in which its own best predictor lies.
    pub(crate) radius: f64,
    /// Numbers it answered before.
    pub(crate) answered: usize,
    /// Numbers per cell beyond which it refuses.
    pub(crate) budget: Option<f64>,
}

/// Losses, gradients, Hessians, its own best predictor, the digest of the points, and all numbers answered.
pub(crate) type Answer<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Option<Bound<'py, PyArray1<f64>>>,
    String,
    usize,
);

impl Question<'_> {
    /// What is asked, unchecked.
    pub(crate) fn request(self) -> Request {
        let rows = self.points.as_array();
        let points = rows.rows().into_iter().map(|row| row.to_vec()).collect();
        let Self { round, gradients, hessians, own, .. } = self;
        Request { round, points, asked: Asked { gradients, hessians, own, ceiling: false } }
    }
}

/// Answers as arrays, for a model with this many parameters.
pub(crate) fn arrays(
    py: Python<'_>,
    told: Answers,
    answered: usize,
    dim: usize,
) -> PyResult<Answer<'_>> {
    Ok((
        told.losses.into_pyarray(py),
        matrix(py, told.gradients, dim)?,
        matrix(py, told.hessians, dim * (dim + 1) / 2)?,
        told.own.map(|own| own.into_pyarray(py)),
        told.points,
        answered,
    ))
}

/// Rows of equal length as an array, of that width also where there is none.
fn matrix(py: Python<'_>, rows: Vec<Vec<f64>>, width: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let shape = (rows.len(), width);
    let array = numpy::ndarray::Array2::from_shape_vec(shape, rows.concat())
        .map_err(|error| Mistake::input("points", error.to_string()))?;
    Ok(array.into_pyarray(py))
}
