//! One round of questions to an agent in this process: what it is asked, and its answer as arrays.

use corefed_model::ConvexLosses;
use corefed_remote::{Account, Asked, Oracle, Request, RowOracle};
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
    radius: f64,
    /// Numbers it answered before.
    answered: usize,
    /// Numbers per cell beyond which it refuses.
    budget: Option<f64>,
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

/// A question that can be answered by a model with this many parameters.
pub(crate) struct Posed {
    pub(crate) request: Request,
    radius: f64,
    answered: usize,
    budget: Option<f64>,
}

impl Question<'_> {
    /// Checks shapes and ranges.
    pub(crate) fn posed(self, dim: usize) -> PyResult<Posed> {
        let Self { round, points, gradients, hessians, own, radius, answered, budget } = self;
        let points: Vec<Vec<f64>> =
            points.as_array().rows().into_iter().map(|row| row.to_vec()).collect();
        if let Some(wrong) = points.iter().find(|point| point.len() != dim) {
            let message = format!("points have {} parameters, the model has {dim}", wrong.len());
            return Err(Mistake::input("points", message).into());
        }
        if gradients.iter().chain(&hessians).any(|&place| place >= points.len()) {
            return Err(Mistake::input("gradients", "a place is beyond the points").into());
        }
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(Mistake::input("radius", "the radius must be positive").into());
        }
        let asked = Asked { gradients, hessians, own, ceiling: false };
        Ok(Posed { request: Request { round, points, asked }, radius, answered, budget })
    }
}

impl Posed {
    /// Answers for an agent that owns this many cells, unless that goes beyond its budget.
    pub(crate) fn answer<'py>(
        &self,
        py: Python<'py>,
        losses: &dyn ConvexLosses,
        cells: usize,
    ) -> PyResult<Answer<'py>> {
        let account = Account { cells, answered: self.answered, budget: self.budget };
        let (told, account) = py
            .detach(|| {
                let mut oracle = RowOracle::new(losses, 0, self.radius, None, account);
                oracle.answer(&self.request).map(|told| (told, oracle.account))
            })
            .map_err(|refusal| Mistake {
                hint: Some(refusal.hint().to_owned()),
                ..Mistake::input("budget", refusal.to_string())
            })?;
        let dim = losses.dim();
        Ok((
            told.losses.into_pyarray(py),
            matrix(py, told.gradients, dim)?,
            matrix(py, told.hessians, dim * (dim + 1) / 2)?,
            told.own.map(|own| own.into_pyarray(py)),
            told.points,
            account.answered,
        ))
    }
}

/// Rows of equal length as an array, of that width also where there is none.
fn matrix(py: Python<'_>, rows: Vec<Vec<f64>>, width: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let shape = (rows.len(), width);
    let array = numpy::ndarray::Array2::from_shape_vec(shape, rows.concat())
        .map_err(|error| Mistake::input("points", error.to_string()))?;
    Ok(array.into_pyarray(py))
}
