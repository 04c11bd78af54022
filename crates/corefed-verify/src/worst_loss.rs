//! The largest loss of an agent over the ball, proven again (ledger E15).

use corefed_core::WorstLoss;

use crate::conflict::Prover;
use crate::enclosed::Enclosed;
use crate::family::{is_least_squares, worst_sample_loss};
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
    match (is_least_squares(reading.predictor.family), stated.multiplier) {
        (true, Some(multiplier)) => {
            quadratic_bound(reading, prover, agent, multiplier).unwrap_or(f64::INFINITY)
        }
        (true, None) => f64::INFINITY,
        (false, _) => row_bound(reading, agent),
    }
}

/// The mean of the rows' worst losses, and `(l2/2) R^2`.
fn row_bound(reading: &Reading<'_>, agent: usize) -> f64 {
    let predictor = reading.predictor;
    let classes = predictor.encoding.classes.len();
    let radius = Enclosed::exact(predictor.radius);
    let mut total = Sum::default();
    for row in reading.rows(agent) {
        let mut squares = Sum::default();
        for x in row.dense {
            squares.add_product(*x, *x);
        }
        squares.add(row.hot.len() as f64);
        let reach = (radius, squares.total().sqrt());
        let loss = worst_sample_loss(predictor.family, classes, reach, (row.target, row.exposure));
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
