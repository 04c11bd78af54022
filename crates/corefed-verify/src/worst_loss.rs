//! The largest loss of an agent over the ball, proven again (ledger E15).

use corefed_core::WorstLoss;

use crate::conflict::Prover;
use crate::enclosed::Enclosed;
use crate::family::{WorstBy, worst_by};
use crate::functions::{log, log_one_plus_exp};
use crate::loss::Reading;
use crate::sum::Sum;

/// At least the largest loss of an agent over the ball, by the stated multiplier where the family
/// needs one; infinite where nothing is proven.
pub(crate) fn worst_loss(
    reading: &Reading<'_>,
    prover: &Prover<'_>,
    agent: usize,
    stated: &WorstLoss,
) -> f64 {
    let predictor = reading.predictor;
    match (worst_by(predictor.family, predictor.encoding.classes.len()), stated.multiplier) {
        (WorstBy::Multiplier, Some(multiplier)) => {
            quadratic_bound(reading, prover, agent, multiplier).unwrap_or(f64::INFINITY)
        }
        (WorstBy::Multiplier, None) => f64::INFINITY,
        (WorstBy::Lead { spread, others }, _) => lead_bound(reading, agent, spread, others),
    }
}

/// `mean_j log(1 + others exp(spread R |x_j|)) + (l2/2) R^2`.
fn lead_bound(reading: &Reading<'_>, agent: usize, spread: Enclosed, others: f64) -> f64 {
    let radius = Enclosed::exact(reading.predictor.radius);
    let (reach, others) = (spread * radius, log(others));
    let mut total = Sum::default();
    for row in reading.rows(agent) {
        let mut squares = Sum::default();
        for x in row.dense {
            squares.add_product(*x, *x);
        }
        squares.add(row.hot.len() as f64);
        let (loss, _) = log_one_plus_exp(reach * squares.total().sqrt() + others);
        total.add_enclosed(Enclosed::exact(row.weight) * loss);
    }
    (total.total().over(reading.samples(agent)) + ridge(reading)).hi()
}

/// `(l2/2) R^2`.
fn ridge(reading: &Reading<'_>) -> Enclosed {
    let radius = Enclosed::exact(reading.predictor.radius);
    Enclosed::exact(0.5 * reading.predictor.l2) * radius.square()
}

/// `c + lambda R^2 + b' (lambda I - A)^-1 b`, which bounds `x'A x - 2 b'x + c` on the ball whenever
/// `lambda I - A` is positive definite; `None` when that is not proven.
fn quadratic_bound(
    reading: &Reading<'_>,
    prover: &Prover<'_>,
    agent: usize,
    multiplier: f64,
) -> Option<f64> {
    let dim = reading.predictor.encoding.features.len();
    let (mut b, mut constant) = (vec![Sum::default(); dim], Sum::default());
    for row in reading.rows(agent) {
        let scaled = Enclosed::exact(row.weight) * Enclosed::exact(row.target);
        for (column, x) in row.entries() {
            b[column].add_scaled(scaled, x);
        }
        constant.add_scaled(scaled, row.target);
    }
    let samples = reading.samples(agent);
    let b: Vec<Enclosed> = b.into_iter().map(|sum| sum.total().over(samples)).collect();
    let half_l2 = 0.5 * reading.predictor.l2;
    let form = prover.curvatures().worst_form(agent, multiplier, half_l2, &b)?;
    let radius = Enclosed::exact(reading.predictor.radius);
    let flat = constant.total().over(samples) + Enclosed::exact(multiplier) * radius.square();
    Some((flat + Enclosed::exact(form)).hi())
}
