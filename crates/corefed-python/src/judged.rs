//! The verdict on utilities: against listed rivals, or under ceilings against every rival.

use corefed_core::{Factors, Settled, Verdict, Weights, gain};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::raise;
use crate::table::{Line, Look, compare, exactly, roughly, row};

/// A statement, its status and what it rests on.
type Statement = (&'static str, &'static str, &'static str);

/// What is known of an incumbent, with agents and rivals by their places.
#[pyclass(frozen, get_all)]
pub(crate) struct JudgedUtilities {
    status: String,
    kappa: (f64, f64),
    everybody: (f64, f64),
    /// What any coalition could gain at zero loss, under ceilings.
    headroom: Option<f64>,
    /// What is left for, or better for everybody.
    rival: Option<usize>,
    /// Who leaves; nobody unless blocked.
    coalition: Vec<usize>,
    /// Who gains with that rival, and how much.
    gains: Vec<(usize, f64)>,
    obstacle: Option<&'static str>,
    assumptions: Vec<Statement>,
    /// One per rival, over the coalitions that leave somebody behind.
    kappas: Py<PyArray1<f64>>,
    /// One per rival: the factor by which everybody gains at once.
    factors: Py<PyArray1<f64>>,
    /// One per rival: the weighted mean of all gains.
    mean_gains: Py<PyArray1<f64>>,
}

/// Judges utilities by those that rivals give; rows of `rivals` are read where they lie. With ceilings, all
/// of which are at least as high as every utility, the answer is about every rival.
#[pyfunction]
pub(crate) fn audit_utilities(
    py: Python<'_>,
    incumbent: PyReadonlyArray1<'_, f64>,
    rivals: PyReadonlyArray2<'_, f64>,
    weights: Vec<f64>,
    ceilings: Option<Vec<f64>>,
    tolerance: f64,
    exact: bool,
) -> PyResult<JudgedUtilities> {
    let weights = Weights::new(weights).map_err(|error| raise::weight("weights", error))?;
    let (incumbent, rivals) = (incumbent.as_array(), rivals.as_array());
    let now = row(&incumbent);
    let look: Look = if exact { exactly } else { roughly };
    let lines = py.detach(|| compare(&now, &rivals, &weights, look))?;
    let known = match &ceilings {
        Some(ceilings) => Factors::with_headroom(&now, ceilings, &weights),
        None => Factors::LISTED,
    };
    let compared: Vec<_> = lines.iter().map(|line| line.compared).collect();
    let Settled { factors, verdict, deviation, improvement } = known.settle(&compared, tolerance);
    let coalition = match deviation {
        Some(rival) => look(&now, &rivals, rival, &weights)?.blocking.unwrap_or_default(),
        None => Vec::new(),
    };
    let gaining = if improvement.is_some() { (0..now.len()).collect() } else { coalition.clone() };
    let rival = deviation.or(improvement);
    let gains = rival.map_or_else(Vec::new, |rival| {
        gaining.iter().map(|&agent| (agent, gain(now[agent], rivals[(rival, agent)]))).collect()
    });
    let column = |value: fn(&Line) -> f64| {
        lines.iter().map(value).collect::<Vec<_>>().into_pyarray(py).unbind()
    };
    Ok(JudgedUtilities {
        status: verdict.to_string(),
        kappa: (factors.kappa.lo.0, factors.kappa.hi.0),
        everybody: (factors.everybody.lo.0, factors.everybody.hi.0),
        headroom: ceilings.is_some().then_some(known.kappa.hi.0),
        rival,
        coalition,
        gains,
        obstacle: (verdict == Verdict::Undecided).then_some("not every rival was tried; list more"),
        assumptions: vec![GIVEN, if ceilings.is_some() { BY_CEILINGS } else { LISTED }],
        kappas: column(|line| line.compared.kappa),
        factors: column(|line| line.compared.everybody),
        mean_gains: column(|line| line.mean_gain),
    })
}

const GIVEN: Statement =
    ("utilities are those given", "assumed", "they are not recomputed from data");
const BY_CEILINGS: Statement =
    ("losses are not negative", "assumed", "nobody can have more than its ceiling");
const LISTED: Statement =
    ("rivals are those listed", "assumed", "a model that is not listed may still block");
