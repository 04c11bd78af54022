//! The largest value of a convex quadratic on a ball.

use crate::{Cholesky, Quadratic};

/// How far the multiplier stays above the largest eigenvalue, relative to it. It makes
/// `multiplier * I - A` so clearly definite that a checker can prove it with rounding counted in, at
/// the price of this much relative slack in the value. At the eigenvalue itself the bound is false
/// where `b` is not orthogonal to the leading eigenvectors.
const MARGIN: f64 = 1e-9;

/// Where the search for the multiplier ends, relative to it. The value is flat there.
const CLOSE: f64 = 0.25 * MARGIN;

/// Factorisations; Newton's method takes fewer than ten, bisection in the hard case about forty.
const STEPS: usize = 200;

/// A maximum with the multiplier that proves it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallMaximum {
    /// `c + multiplier * R^2 + b' (multiplier * I - A)^-1 b`.
    pub value: f64,
    /// Above the largest eigenvalue of `A`.
    pub multiplier: f64,
}

/// The largest value of `theta' A theta - 2 b' theta + c` over `|theta| <= radius`.
///
/// # Requirements
/// A finite positive semidefinite matrix, of which the lower triangle is read; a radius `> 0`.
///
/// # Guarantee
/// For any `lambda` with `lambda I - A` positive definite, `c + lambda R^2 +
/// b' (lambda I - A)^-1 b` bounds the quadratic on the ball, because the difference is a sum of
/// squares plus `lambda (R^2 - |theta|^2)`. The multiplier returned makes the bound tight to a
/// relative `1e-9`, also in the hard case, where `b` is orthogonal to the leading eigenvectors.
/// Anyone can check the value from the multiplier with one Cholesky factorisation.
///
/// # Cost
/// Ten Cholesky factorisations, forty in the hard case.
///
/// # Reference
/// Moré and Sorensen, "Computing a trust region step", SIAM J. Sci. Stat. Comput. 4 (1983).
///
/// ```
/// use corefed_model::{Quadratic, maximum_on_ball};
///
/// // (t - 1)^2 on |t| <= 2 is largest at -2.
/// let parabola = Quadratic { matrix: vec![1.0], linear: vec![1.0], constant: 1.0 };
/// assert!((maximum_on_ball(&parabola, 2.0).value - 9.0).abs() < 1e-7);
/// ```
///
/// # Panics
/// If the radius is not positive or the matrix not finite.
#[must_use]
pub fn maximum_on_ball(quadratic: &Quadratic, radius: f64) -> BallMaximum {
    assert!(radius > 0.0, "the radius must be positive, but is {radius}");
    assert!(quadratic.matrix.iter().all(|a| a.is_finite()), "the matrix must be finite");
    let (low, high) = bracket(quadratic, radius);
    if high <= 0.0 {
        return BallMaximum { value: quadratic.constant, multiplier: 0.0 };
    }
    let multiplier = with_margin(quadratic, search(quadratic, radius, low, high));
    let point = Stationary::at(quadratic, multiplier)
        .expect("the search ends where a factorisation succeeded, and moves up from there");
    let curved: f64 = point.theta.iter().zip(&quadratic.linear).map(|(x, b)| x * b).sum();
    BallMaximum { value: quadratic.constant + multiplier * radius * radius + curved, multiplier }
}

/// The optimal multiplier lies between: no entry of the diagonal is above the largest eigenvalue,
/// the trace is not below it, and `|b|/R` further the stationary point is inside the ball.
fn bracket(quadratic: &Quadratic, radius: f64) -> (f64, f64) {
    let dim = quadratic.linear.len();
    let diagonal = || quadratic.matrix.iter().step_by(dim + 1);
    let slope = quadratic.linear.iter().map(|b| b * b).sum::<f64>().sqrt() / radius;
    let low = diagonal().copied().fold(0.0, f64::max);
    let trace: f64 = diagonal().map(|a| a.max(0.0)).sum();
    (low, (trace + slope) * (1.0 + MARGIN))
}

/// A multiplier with a factorisation, as small as may be: where the stationary point is on the
/// sphere, or next to the largest eigenvalue in the hard case.
fn search(quadratic: &Quadratic, radius: f64, mut low: f64, mut high: f64) -> f64 {
    let mut at = high;
    for _ in 0..STEPS {
        let tried = Stationary::at(quadratic, at);
        let outside = tried.as_ref().is_none_or(|point| point.norm > radius);
        if outside {
            low = at;
        } else {
            high = at;
        }
        // Newton's method on 1/norm - 1/R, which is concave in the multiplier.
        let newton = tried.map(|point| at + point.newton_step(radius));
        if high - low <= CLOSE * high {
            break;
        }
        at = match newton {
            // From the left it rises to the root, and never past it.
            Some(next) if next - at > 0.0 && next < high => {
                if next - at <= CLOSE * high {
                    (next + CLOSE * high).min(high)
                } else {
                    next
                }
            }
            Some(next) if next < at && next > low => next,
            _ => f64::midpoint(low, high),
        };
    }
    high
}

/// The multiplier, raised where it is not clearly above the largest eigenvalue.
fn with_margin(quadratic: &Quadratic, multiplier: f64) -> f64 {
    match Stationary::at(quadratic, multiplier * (1.0 - MARGIN)) {
        Some(_) => multiplier,
        None => multiplier * (1.0 + MARGIN),
    }
}

/// Where the gradient of the Lagrangian vanishes: `theta = -(multiplier * I - A)^-1 b`.
struct Stationary {
    /// `-theta`.
    theta: Vec<f64>,
    norm: f64,
    /// `theta' (multiplier * I - A)^-1 theta`.
    form: f64,
}

impl Stationary {
    /// None where the multiplier is not above the largest eigenvalue.
    fn at(quadratic: &Quadratic, multiplier: f64) -> Option<Self> {
        let dim = quadratic.linear.len();
        let negated: Vec<f64> = quadratic.matrix.iter().map(|a| -a).collect();
        let factor = Cholesky::new(&negated, dim, |a| a + multiplier)?;
        let mut theta = quadratic.linear.clone();
        factor.solve(&mut theta);
        let mut half = theta.clone();
        factor.half_solve(&mut half);
        let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        Some(Self { norm: square(&theta).sqrt(), form: square(&half), theta })
    }

    /// How far the multiplier should move; not a number without a linear part.
    fn newton_step(&self, radius: f64) -> f64 {
        self.norm * self.norm / self.form * ((self.norm - radius) / radius)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_maximum(quadratic: &Quadratic, radius: f64, value: f64, multiplier: f64) {
        let found = maximum_on_ball(quadratic, radius);
        let close = |a: f64, b: f64| (a - b).abs() <= 2e-9 * b.abs();
        assert!(close(found.value, value), "{found:?} != {value}");
        assert!(close(found.multiplier, multiplier), "{found:?}, multiplier {multiplier}");
    }

    #[test]
    fn a_parabola_is_largest_at_the_far_end() {
        // (t - 1)^2 on |t| <= R has maximum (R + 1)^2, with multiplier 1 + 1/R.
        let parabola = Quadratic { matrix: vec![1.0], linear: vec![1.0], constant: 1.0 };
        for radius in [1e-3, 0.5, 1.0, 7.0, 1e6] {
            assert_maximum(&parabola, radius, (radius + 1.0).powi(2), 1.0 + 1.0 / radius);
        }
    }

    #[test]
    fn the_hard_case_climbs_along_the_leading_eigenvector() {
        // 4 x^2 + y^2 - 2 y: b is orthogonal to the leading axis. On |theta| = R with
        // x^2 = R^2 - y^2 it is 4 R^2 - 3 y^2 - 2 y, largest at y = -1/3: 4 R^2 + 1/3.
        let matrix = vec![4.0, 0.0, 0.0, 1.0];
        let hard = Quadratic { matrix, linear: vec![0.0, 1.0], constant: 0.0 };
        assert_maximum(&hard, 2.0, 16.0 + 1.0 / 3.0, 4.0);
        // Inside R < 1/3 that point does not exist, and the maximum is at y = -R.
        assert_maximum(&hard, 0.25, 0.0625 + 0.5, 1.0 + 4.0);
    }

    #[test]
    fn flat_quadratics_are_largest_against_their_slope() {
        // -2 * 5 t with |b| = 5: 2 * 5 * R; and a constant stays one.
        let flat = |linear| Quadratic { matrix: vec![0.0; 4], linear, constant: 3.0 };
        assert_maximum(&flat(vec![3.0, 4.0]), 2.0, 3.0 + 20.0, 2.5);
        assert_maximum(&flat(vec![0.0, 0.0]), 2.0, 3.0, 0.0);
        let round = Quadratic { matrix: vec![1.0], linear: vec![0.0], constant: 3.0 };
        assert_maximum(&round, 2.0, 7.0, 1.0);
    }
}
