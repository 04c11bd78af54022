//! Rivals by the utilities they give, in one pass.

use std::borrow::Cow;

use corefed_core::{Kappa, KappaInterval, Scan, Verdict, Weights, headroom, ratio_bound, scan};
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
    /// One per rival, over the coalitions that leave somebody behind.
    kappas: Py<PyArray1<f64>>,
    /// One per rival: the factor by which everybody gains at once.
    everybody: Py<PyArray1<f64>>,
    /// The weighted mean of all gains, an upper bound; not a number where a gain is negative.
    mean_gains: Py<PyArray1<f64>>,
    /// The rival with the largest kappa.
    rival: usize,
    /// Who attains it.
    coalition: Vec<usize>,
    /// Whether that coalition, or another, blocks by the strict rule of Definition 1.
    blocking: Option<(usize, Vec<usize>)>,
    /// The rival that is better for everybody by the strict rule, the one with the largest factor.
    improvement: Option<usize>,
}

/// Factors this near to one are computed exactly.
const CLOSE: f64 = 1e-9;

/// One rival's figures.
struct Line {
    kappa: f64,
    everybody: f64,
    mean_gain: f64,
    blocks: bool,
    improves: bool,
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
            let improved = lines.iter().enumerate().filter(|(_, line)| line.improves);
            let improved = largest(improved.map(|(at, line)| (at, line.everybody)));
            (lines, best, blocked, improved)
        })
    });
    let (lines, rival, blocked, improvement) = found?;
    let coalition_of = |at: usize| {
        let rival = rivals.row(at);
        scanned(&now, &row(&rival), &weights, exact)
    };
    let column = |value: fn(&Line) -> f64| {
        lines.iter().map(value).collect::<Vec<_>>().into_pyarray(py).unbind()
    };
    Ok(Scanned {
        kappas: column(|line| line.kappa),
        everybody: column(|line| line.everybody),
        mean_gains: column(|line| line.mean_gain),
        improvement,
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
    let close = |factor: &Kappa<f64>| (factor.value() - 1.0).abs() < CLOSE;
    if close(&found.kappa) || close(&found.everybody) {
        // Rounding must not decide a tie.
        return exactly(now, rivals, at, weights);
    }
    Ok(line(now, &then, weights, &found, Kappa::value))
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
    let value = |factor: &Kappa<BigRational>| match factor {
        Kappa::Finite(kappa) => kappa.to_f64().unwrap_or(f64::NAN),
        Kappa::Infinite => f64::INFINITY,
    };
    Ok(line(now, &then, weights, &found, value))
}

fn line<N>(
    now: &[f64],
    then: &[f64],
    weights: &Weights,
    found: &Scan<N>,
    value: impl Fn(&Kappa<N>) -> f64,
) -> Line {
    Line {
        kappa: value(&found.kappa),
        everybody: value(&found.everybody),
        mean_gain: ratio_bound(now, then, weights).unwrap_or(f64::NAN),
        blocks: found.blocking.is_some(),
        improves: found.improves,
    }
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

/// The verdict that follows from where both factors lie (ledger E3).
#[pyfunction]
pub(crate) fn judge(kappa: (f64, f64), everybody: (f64, f64), tolerance: f64) -> String {
    let interval = |(lo, hi)| KappaInterval::new(lo, hi);
    Verdict::judge(interval(kappa), interval(everybody), tolerance).to_string()
}

/// What losses of zero would give: kappa, who attains it, and everybody's factor.
#[pyfunction]
pub(crate) fn scan_ceilings(
    utilities: Vec<f64>,
    ceilings: Vec<f64>,
    weights: Vec<f64>,
) -> PyResult<(f64, Vec<usize>, f64)> {
    let weights = Weights::new(weights).map_err(|error| raise::weight("weights", error))?;
    let found = headroom(&utilities, &ceilings, &weights);
    let everybody = found.everybody.value();
    Ok((found.kappa.value(), found.coalition, everybody))
}
