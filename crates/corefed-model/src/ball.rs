//! The largest value of a convex quadratic on a ball.

use faer::{
    Mat, MatRef, Par, Spec,
    diag::Diag,
    dyn_stack::{MemBuffer, MemStack},
    linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch},
};

use crate::Quadratic;

/// How far the multiplier stays above the largest eigenvalue, relative to it. It makes
/// `multiplier * I - A` so clearly definite that a checker can prove it with rounding counted in, at
/// the price of this much relative slack in the value. At the eigenvalue itself the bound is false
/// where `b` is not orthogonal to the leading eigenvectors.
const MARGIN: f64 = 1e-9;

/// Newton's steps; it takes fewer than ten.
const STEPS: usize = 100;

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
/// A finite matrix, a radius `> 0`.
///
/// # Guarantee
/// For any `lambda` with `lambda I - A` positive definite, `c + lambda R^2 +
/// b' (lambda I - A)^-1 b` bounds the quadratic on the ball, because the difference is a sum of
/// squares plus `lambda (R^2 - |theta|^2)`. The multiplier returned makes the bound tight to a
/// relative `1e-9`, also in the hard case, where `b` is orthogonal to the leading eigenvectors.
/// Anyone can check the value from the multiplier with one Cholesky factorisation.
///
/// # Cost
/// One eigendecomposition, `O(dim^3)`.
///
/// # Reference
/// Moré and Sorensen, "Computing a trust region step", SIAM J. Sci. Stat. Comput. 4 (1983).
///
/// # Panics
/// If the radius is not positive or the matrix not finite.
#[must_use]
pub fn maximum_on_ball(quadratic: &Quadratic, radius: f64) -> BallMaximum {
    assert!(radius > 0.0, "the radius must be positive, but is {radius}");
    let spectrum = Spectrum::new(quadratic);
    let above = spectrum.excess(radius).max(MARGIN * spectrum.largest);
    let multiplier = spectrum.largest + above;
    let curved: f64 = spectrum.terms().map(|(square, gap)| square / (above + gap)).sum();
    BallMaximum { value: quadratic.constant + multiplier * radius * radius + curved, multiplier }
}

/// A quadratic in the basis of its eigenvectors.
struct Spectrum {
    /// Largest eigenvalue, rounding below zero taken out.
    largest: f64,
    /// Distance of each eigenvalue to the largest.
    gaps: Vec<f64>,
    /// Squared coordinates of `b`.
    squares: Vec<f64>,
}

impl Spectrum {
    fn new(quadratic: &Quadratic) -> Self {
        let dim = quadratic.linear.len();
        let matrix = MatRef::from_row_major_slice(&quadratic.matrix, dim, dim);
        let (mut values, mut vectors) = (Diag::<f64>::zeros(dim), Mat::<f64>::zeros(dim, dim));
        // Sequential, so that bits do not depend on the number of threads.
        let (wanted, par) = (ComputeEigenvectors::Yes, Par::Seq);
        let scratch = self_adjoint_evd_scratch::<f64>(dim, wanted, par, Spec::default());
        self_adjoint_evd(
            matrix,
            values.as_mut(),
            Some(vectors.as_mut()),
            par,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Spec::default(),
        )
        .expect("a finite symmetric matrix has an eigendecomposition");
        let values: Vec<f64> = values.column_vector().iter().copied().collect();
        let largest = values.last().map_or(0.0, |&value| value.max(0.0));
        let coordinate = |k: usize| -> f64 {
            vectors.col(k).iter().zip(&quadratic.linear).map(|(v, b)| v * b).sum()
        };
        Self {
            largest,
            gaps: values.iter().map(|value| (largest - value).max(0.0)).collect(),
            squares: (0..dim).map(|k| coordinate(k).powi(2)).collect(),
        }
    }

    /// Squares and gaps where the square is not zero.
    fn terms(&self) -> impl Iterator<Item = (f64, f64)> {
        let all = self.squares.iter().copied().zip(self.gaps.iter().copied());
        all.filter(|&(square, _)| square > 0.0)
    }

    /// The excess `x >= 0` of the optimal multiplier over the largest eigenvalue: the root of
    /// `sum_i square_i / (x + gap_i)^2 = R^2`, or zero in the hard case, where there is none.
    fn excess(&self, radius: f64) -> f64 {
        // A single term already reaches R^2 here, so the root is not to the left.
        let mut x = self.terms().map(|(s, gap)| s.sqrt() / radius - gap).fold(0.0, f64::max);
        for _ in 0..STEPS {
            let (mut norm, mut slope) = (0.0, 0.0);
            for (square, gap) in self.terms() {
                norm += square / (x + gap).powi(2);
                slope += square / (x + gap).powi(3);
            }
            let norm = norm.sqrt();
            // Newton's method on 1/norm - 1/R, which is concave: it rises to the root.
            let step = norm * norm / slope * ((norm - radius) / radius);
            // Not so for a step that is not a number: no linear part, or a pole at zero.
            let rises = step > f64::EPSILON * x;
            if !rises {
                break;
            }
            x += step;
        }
        x
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
