//! Rivals by the utilities they give, in one pass.

use std::borrow::Cow;

use corefed_core::{Compared, Kappa, Scan, Weights, ratio_bound, scan};
use num_rational::BigRational;
use num_traits::ToPrimitive;
use numpy::ndarray::{ArrayView1, ArrayView2};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::raise::{self, Mistake};

/// Factors this near to one are computed exactly.
const CLOSE: f64 = 1e-9;

/// What one rival reaches.
pub(crate) struct Line {
    pub(crate) compared: Compared,
    /// The weighted mean of all gains, an upper bound; not a number where a gain is negative.
    pub(crate) mean_gain: f64,
    /// Who blocks by the strict rule of Definition 1.
    pub(crate) blocking: Option<Vec<usize>>,
}

/// How the best coalition of each rival is found.
pub(crate) type Look = fn(&[f64], &ArrayView2<'_, f64>, usize, &Weights) -> Result<Line, Mistake>;

/// The largest factor that a coalition reaches with each rival; rows of `rivals` are read where they lie.
#[pyfunction]
pub(crate) fn scan_rivals(
    py: Python<'_>,
    incumbent: PyReadonlyArray1<'_, f64>,
    rivals: PyReadonlyArray2<'_, f64>,
    weights: Vec<f64>,
) -> PyResult<Py<PyArray1<f64>>> {
    let weights = Weights::new(weights).map_err(|error| raise::weight("weights", error))?;
    let (incumbent, rivals) = (incumbent.as_array(), rivals.as_array());
    let now = row(&incumbent);
    let lines = py.detach(|| compare(&now, &rivals, &weights, roughly))?;
    let kappas: Vec<f64> = lines.iter().map(|line| line.compared.kappa).collect();
    Ok(kappas.into_pyarray(py).unbind())
}

/// Compares all rivals with the incumbent.
pub(crate) fn compare(
    now: &[f64],
    rivals: &ArrayView2<'_, f64>,
    weights: &Weights,
    look: Look,
) -> Result<Vec<Line>, Mistake> {
    let line = |at| {
        // Coalitions of all rivals would be a table as large as theirs.
        look(now, rivals, at, weights).map(|line| Line { blocking: None, ..line })
    };
    (0..rivals.nrows()).into_par_iter().map(line).collect()
}

/// Exact where rounding might decide.
pub(crate) fn roughly(
    now: &[f64],
    rivals: &ArrayView2<'_, f64>,
    at: usize,
    weights: &Weights,
) -> Result<Line, Mistake> {
    let rival = rivals.row(at);
    let then = finite(at, row(&rival))?;
    let found = scan(now, &then, weights.values(), &weights.total());
    let close = |factor: &Kappa<f64>| (factor.value() - 1.0).abs() < CLOSE;
    if close(&found.kappa) || close(&found.everybody) {
        // Rounding must not decide a tie.
        return exactly(now, rivals, at, weights);
    }
    Ok(line(now, &then, weights, found, Kappa::value))
}

/// On the numbers that the floats are.
pub(crate) fn exactly(
    now: &[f64],
    rivals: &ArrayView2<'_, f64>,
    at: usize,
    weights: &Weights,
) -> Result<Line, Mistake> {
    let rival = rivals.row(at);
    let then = finite(at, row(&rival))?;
    let found = exact_scan(now, &then, weights);
    let value = |factor: &Kappa<BigRational>| match factor {
        Kappa::Finite(kappa) => kappa.to_f64().unwrap_or(f64::NAN),
        Kappa::Infinite => f64::INFINITY,
    };
    Ok(line(now, &then, weights, found, value))
}

fn line<N>(
    now: &[f64],
    then: &[f64],
    weights: &Weights,
    found: Scan<N>,
    value: impl Fn(&Kappa<N>) -> f64,
) -> Line {
    Line {
        compared: Compared {
            kappa: value(&found.kappa),
            everybody: value(&found.everybody),
            blocks: found.blocking.is_some(),
            improves: found.improves,
        },
        mean_gain: ratio_bound(now, then, weights).unwrap_or(f64::NAN),
        blocking: found.blocking,
    }
}

/// The scan on the numbers that the floats are, without a rounding.
fn exact_scan(now: &[f64], then: &[f64], weights: &Weights) -> Scan<BigRational> {
    let exact = |values: &[f64]| -> Vec<BigRational> {
        values.iter().map(|&value| BigRational::from_float(value).unwrap_or_default()).collect()
    };
    let weights = exact(weights.values());
    let total = weights.iter().sum();
    scan(&exact(now), &exact(then), &weights, &total)
}

fn finite(at: usize, values: Cow<'_, [f64]>) -> Result<Cow<'_, [f64]>, Mistake> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(values),
        Some(agent) => {
            let message = format!(
                "rival {at} gives agent {agent} the utility `{}`; utilities must be finite",
                values[agent]
            );
            Err(Mistake { agent: Some(agent), ..Mistake::input("rivals", message) })
        }
    }
}

/// A row where it lies; copied, alone, where its numbers are apart.
pub(crate) fn row<'a>(view: &'a ArrayView1<'_, f64>) -> Cow<'a, [f64]> {
    view.as_slice().map_or_else(|| Cow::Owned(view.to_vec()), Cow::Borrowed)
}
