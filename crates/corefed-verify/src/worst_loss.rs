//! The largest loss of an agent over the ball, proven again (ledger E15).

use corefed_core::{Certificate, Family, WorstLoss};

use crate::VerifyError;
use crate::cholesky::inverse_quadratic_form;
use crate::loss::{Reading, Row, log_one_plus_exp};
use crate::sum::Sum;

/// Relative slack where a matrix is factorised, and where a formula is evaluated.
const QUADRATIC_SLACK: f64 = 1e-9;
const FORMULA_SLACK: f64 = 1e-12;

/// Proves every agent's worst loss anew and holds it against the stated one and the ceiling.
pub(crate) fn check_worst_losses(
    certificate: &Certificate,
    reading: &Reading<'_>,
    worst_losses: &[WorstLoss],
) -> Result<(), VerifyError> {
    for (i, (agent, stated)) in certificate.agents.iter().zip(worst_losses).enumerate() {
        let name = || agent.name.clone();
        let (proven, slack) = match (reading.predictor.family, stated.multiplier) {
            (Family::Linear, Some(multiplier)) => {
                let Some(bound) = quadratic_bound(reading, i, multiplier) else {
                    return Err(VerifyError::WeakMultiplier { agent: name(), multiplier });
                };
                (bound, QUADRATIC_SLACK)
            }
            (Family::Linear, None) => {
                let field = format!("evidence.worst_losses[{i}].multiplier");
                return Err(VerifyError::Missing { field });
            }
            (Family::Logistic, _) => (margin_bound(reading, i, 1.0, 0.0), FORMULA_SLACK),
            (Family::Softmax, _) => {
                let others = reading.predictor.encoding.classes.len().saturating_sub(1) as f64;
                (margin_bound(reading, i, 2.0_f64.sqrt(), others.ln()), FORMULA_SLACK)
            }
        };
        let ceiling = agent.ceiling.unwrap_or(f64::NAN);
        if !(proven <= ceiling + slack * ceiling.abs()) {
            return Err(VerifyError::PremiseViolated { agent: name(), worst: proven, ceiling });
        }
        if !(proven <= stated.bound + QUADRATIC_SLACK * (1.0 + stated.bound.abs())) {
            let (stated, recomputed) = (stated.bound, proven);
            return Err(VerifyError::ForgedWorstLoss { agent: name(), stated, recomputed });
        }
    }
    Ok(())
}

/// `mean_j log(1 + exp(spread R |x_j| + others)) + (l2/2) R^2`.
///
/// No score differs from the label's by more than `spread R |x|`: by `R |x|` itself for one block
/// of parameters, and by `|(a - b) x| <= sqrt(2) R |x|` for two blocks of one vector in the ball.
/// `others` is the logarithm of the number of classes that compete.
fn margin_bound(reading: &Reading<'_>, agent: usize, spread: f64, others: f64) -> f64 {
    let radius = reading.predictor.radius;
    let mut total = Sum::default();
    for Row { entries, weight, .. } in reading.rows(agent) {
        let norm = entries.iter().map(|(_, x)| x * x).sum::<f64>().sqrt();
        total.add(weight * log_one_plus_exp(spread * radius * norm + others));
    }
    total.value() / reading.samples(agent) as f64 + 0.5 * reading.predictor.l2 * radius * radius
}

/// `c + lambda R^2 + b' (lambda I - A)^-1 b` bounds `x'A x - 2 b'x + c` on the ball whenever
/// `lambda I - A` is positive definite; `None` when it is not.
///
/// The bound holds for every such multiplier, so a slightly larger one is used: the factorisation
/// then has room to round, also where the best multiplier makes the matrix singular.
fn quadratic_bound(reading: &Reading<'_>, agent: usize, multiplier: f64) -> Option<f64> {
    let dim = reading.predictor.encoding.features.len();
    let samples = reading.samples(agent) as f64;
    let mut curvature = vec![vec![0.0; dim]; dim];
    let mut b = vec![0.0; dim];
    let mut constant = Sum::default();
    for Row { entries, target: y, weight } in reading.rows(agent) {
        let share = weight / samples;
        for &(i, x) in &entries {
            b[i] += x * y * share;
            for &(j, z) in &entries {
                curvature[i][j] += x * z * share;
            }
        }
        constant.add(y * y * share);
    }
    let (c, square) = (constant.value(), reading.predictor.radius * reading.predictor.radius);
    let room = 1e-10 * multiplier.abs() + 1e-12 * c / square + f64::MIN_POSITIVE;
    let multiplier = multiplier + room;
    for (i, row) in curvature.iter_mut().enumerate() {
        for entry in row.iter_mut() {
            *entry = -*entry;
        }
        row[i] += multiplier - 0.5 * reading.predictor.l2;
    }
    Some(c + multiplier * square + inverse_quadratic_form(&curvature, &b)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{federation, predictor};

    #[test]
    fn the_worst_parabola_is_at_the_far_end() {
        // (t - 1)^2 on |t| <= 2 is at most 9, at t = -2, with multiplier lambda = 3/2: stationary
        // where (lambda - 1) t = -1. At lambda = 2 the bound is 1 + 8 + 1 = 10.
        let federation = federation(&[(&[1.0], 0.0), (&[1.0], 1.0)]);
        let predictor = predictor(Family::Linear, 0, &[0.5]);
        let reading = Reading::new(&predictor, &federation).unwrap();
        assert!((quadratic_bound(&reading, 1, 1.5).unwrap() - 9.0).abs() < 1e-8);
        assert!((quadratic_bound(&reading, 1, 2.0).unwrap() - 10.0).abs() < 1e-8);
        assert_eq!(quadratic_bound(&reading, 1, 0.9), None);
        // t^2 is the hard case: the best multiplier 1 makes the matrix singular.
        assert!((quadratic_bound(&reading, 0, 1.0).unwrap() - 4.0).abs() < 1e-8);
    }

    #[test]
    fn margins_bound_classification() {
        // |x| = 5, R = 2: log(1 + e^10); with three classes log(1 + 2 exp(10 sqrt 2)).
        let federation = federation(&[(&[3.0, 4.0], 0.0), (&[0.0, 0.0], 1.0)]);
        let logistic = predictor(Family::Logistic, 2, &[0.0, 0.0]);
        let reading = Reading::new(&logistic, &federation).unwrap();
        let expected = (1.0 + 10.0_f64.exp()).ln();
        assert!((margin_bound(&reading, 0, 1.0, 0.0) - expected).abs() < 1e-14);
        let three = margin_bound(&reading, 0, 2.0_f64.sqrt(), 2.0_f64.ln());
        let expected = (1.0 + 2.0 * (10.0 * 2.0_f64.sqrt()).exp()).ln();
        assert!((three - expected).abs() < 1e-13);
    }
}
