//! Rivals by the utilities they give, in one pass.

use std::borrow::Cow;

use corefed_core::{Kappa, Scan, Weights, headroom, ratio_bound, scan};
use num_rational::BigRational;
use num_traits::ToPrimitive;
use numpy::ndarray::{ArrayView1, ArrayView2};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::raise::{self, Mistake};

/// What coalitions can make of each rival.
#[pyclass(frozen, get_all)]
pub(crate) struct Scanned {
    /// One per rival.
    kappas: Py<PyArray1<f64>>,
    /// The weighted mean of all gains, an upper bound; not a number where a gain is negative.
    mean_gains: Py<PyArray1<f64>>,
    /// The rival with the largest kappa.
    rival: usize,
    /// Who attains it.
    coalition: Vec<usize>,
    /// Whether that coalition, or another, blocks by the strict rule of Definition 1.
    blocking: Option<(usize, Vec<usize>)>,
}

/// One rival's figures.
struct Line {
    kappa: f64,
    mean_gain: f64,
    blocks: bool,
}

/// Scans all rivals against the incumbent; rows of `rivals` are read where they lie.
#[pyfunction]
pub(crate) fn scan_rivals(
    py: Python<'_>,
    incumbent: PyReadonlyArray1<'_, f64>,
    rivals: PyReadonlyArray2<'_, f64>,
    weights: Vec<f64>,
    exact: bool,
) -> PyResult<Scanned> {
    let weights = Weights::new(weights).map_err(|error| raise::weight("weights", error))?;
    let (incumbent, rivals) = (incumbent.as_array(), rivals.as_array());
    let now = row(&incumbent).into_owned();
    let found = py.detach(|| {
        let look = if exact { exactly } else { roughly };
        let lines: Result<Vec<Line>, Mistake> = (0..rivals.nrows())
            .into_par_iter()
            .map(|at| look(&now, &rivals, at, &weights))
            .collect();
        lines.map(|lines| {
            let best = largest(lines.iter().map(|line| line.kappa).enumerate());
            let blocked = lines.iter().enumerate().filter(|(_, line)| line.blocks);
            let blocked = largest(blocked.map(|(at, line)| (at, line.kappa)));
            (lines, best, blocked)
        })
    });
    let (lines, rival, blocked) = found?;
    let coalition_of = |at: usize| {
        let rival = rivals.row(at);
        scanned(&now, &row(&rival), &weights, exact)
    };
    Ok(Scanned {
        kappas: lines.iter().map(|line| line.kappa).collect::<Vec<_>>().into_pyarray(py).unbind(),
        mean_gains: (lines.iter().map(|line| line.mean_gain).collect::<Vec<_>>())
            .into_pyarray(py)
            .unbind(),
        rival: rival.unwrap_or(0),
        coalition: rival.map_or_else(Vec::new, |at| coalition_of(at).0),
        blocking: blocked.and_then(|at| coalition_of(at).1.map(|members| (at, members))),
    })
}

/// The first of the largest.
fn largest(values: impl Iterator<Item = (usize, f64)>) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (at, value) in values {
        if best.is_none_or(|(_, most)| value > most) {
            best = Some((at, value));
        }
    }
    best.map(|(at, _)| at)
}

fn roughly(
    now: &[f64],
    rivals: &ArrayView2<'_, f64>,
    at: usize,
    weights: &Weights,
) -> Result<Line, Mistake> {
    let rival = rivals.row(at);
    let then = finite(at, row(&rival))?;
    let found = scan(now, &then, weights.values(), &weights.total());
    Ok(line(now, &then, weights, found.kappa.value(), found.blocking.is_some()))
}

fn exactly(
    now: &[f64],
    rivals: &ArrayView2<'_, f64>,
    at: usize,
    weights: &Weights,
) -> Result<Line, Mistake> {
    let rival = rivals.row(at);
    let then = finite(at, row(&rival))?;
    let found = exact_scan(now, &then, weights);
    let kappa = match found.kappa {
        Kappa::Finite(kappa) => kappa.to_f64().unwrap_or(f64::NAN),
        Kappa::Infinite => f64::INFINITY,
    };
    Ok(line(now, &then, weights, kappa, found.blocking.is_some()))
}

fn line(now: &[f64], then: &[f64], weights: &Weights, kappa: f64, blocks: bool) -> Line {
    Line { kappa, mean_gain: ratio_bound(now, then, weights).unwrap_or(f64::NAN), blocks }
}

/// Who attains kappa, and who blocks.
fn scanned(
    now: &[f64],
    then: &[f64],
    weights: &Weights,
    exact: bool,
) -> (Vec<usize>, Option<Vec<usize>>) {
    if exact {
        let found = exact_scan(now, then, weights);
        return (found.coalition, found.blocking);
    }
    let found = scan(now, then, weights.values(), &weights.total());
    (found.coalition, found.blocking)
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
fn row<'a>(view: &'a ArrayView1<'_, f64>) -> Cow<'a, [f64]> {
    view.as_slice().map_or_else(|| Cow::Owned(view.to_vec()), Cow::Borrowed)
}

/// What any coalition could gain if its losses fell to zero: kappa, and who.
#[pyfunction]
pub(crate) fn scan_ceilings(
    utilities: Vec<f64>,
    ceilings: Vec<f64>,
    weights: Vec<f64>,
) -> PyResult<(f64, Vec<usize>)> {
    let weights = Weights::new(weights).map_err(|error| raise::weight("weights", error))?;
    let found = headroom(&utilities, &ceilings, &weights);
    Ok((found.kappa.value(), found.coalition))
}
