//! The largest loss of an agent over the ball, proven again (ledger E15).

use corefed_core::WorstLoss;

use crate::conflict::Prover;
use crate::curvature::Curvatures;
use crate::enclosed::Enclosed;
use crate::family::{is_least_squares, worst_sample_loss};
use crate::loss::Reading;
use crate::sum::Sum;

/// Each leaves two thirds: after these the multiplier is known to the last digits.
const THIRDS: usize = 90;

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
            quadratic_bound(reading, prover.curvatures(), agent, multiplier)
                .unwrap_or(f64::INFINITY)
        }
        (true, None) => f64::INFINITY,
        (false, _) => row_bound(reading, agent),
    }
}

/// At least the largest loss of the only agent over the ball, where nobody states a multiplier: the bound is
/// convex in it, so thirds are cut off until one of them proves what is `enough`.
pub(crate) fn least_proven(reading: &Reading<'_>, enough: f64) -> f64 {
    if !is_least_squares(reading.predictor.family) {
        return row_bound(reading, 0);
    }
    let curvatures = Curvatures::new(*reading);
    let bound =
        |multiplier| quadratic_bound(reading, &curvatures, 0, multiplier).unwrap_or(f64::INFINITY);
    let (mut low, mut high) = (0.0, largest_multiplier(reading));
    let mut least = f64::INFINITY;
    for _ in 0..THIRDS {
        let third = (high - low) / 3.0;
        let (left, right) = (low + third, high - third);
        let (at_left, at_right) = (bound(left), bound(right));
        least = least.min(at_left).min(at_right);
        if least <= enough {
            break;
        }
        // Where nothing is proven the multiplier is too small.
        if at_left.is_finite() && at_left <= at_right {
            high = right;
        } else {
            low = left;
        }
    }
    least
}

/// No best multiplier of the only agent is above the trace of `A` plus `|b|/R`.
fn largest_multiplier(reading: &Reading<'_>) -> f64 {
    let predictor = reading.predictor;
    let samples = reading.samples(0).value();
    let (mut trace, mut moments) = (0.0, vec![0.0; predictor.encoding.features.len()]);
    for row in reading.rows(0) {
        for (column, x) in row.entries() {
            trace += row.weight * x * x / samples;
            moments[column] += row.weight * row.target * x / samples;
        }
    }
    let moment = moments.iter().map(|b| b * b).sum::<f64>().sqrt();
    // Doubled, so that rounding cuts nothing off.
    2.0 * (trace + 0.5 * predictor.l2 + moment / predictor.radius)
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
    curvatures: &Curvatures<'_>,
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
    let form = curvatures.worst_form(agent, multiplier, half_l2, &b)?;
    let radius = Enclosed::exact(reading.predictor.radius);
    let flat = constant.total().over(samples) + Enclosed::exact(multiplier) * radius.square();
    Some((flat + Enclosed::exact(form)).hi())
}
