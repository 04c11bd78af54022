//! One quadratic.

use pulp::{Arch, Simd, WithSimd};

use crate::accumulate::accumulate_dense;
use crate::rows::Rows;

/// A quadratic, `theta' A theta - 2 b' theta + c`.
#[derive(Clone, Debug, PartialEq)]
pub struct Quadratic {
    /// `A`, symmetric and positive semidefinite, row-major and full.
    pub matrix: Vec<f64>,
    /// `b`.
    pub linear: Vec<f64>,
    /// `c`, the value at zero.
    pub constant: f64,
}

impl Quadratic {
    /// `A theta`.
    pub(crate) fn matrix_times(&self, theta: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; theta.len()];
        let rows = Rows::dense(&self.matrix, theta.len());
        // Symmetric, so a weighted sum of rows is the product.
        Arch::new().dispatch(WeightedSum { rows, weights: theta, sum: &mut product });
        product
    }

    /// The value, given `A theta`; squared errors are never negative, whatever rounding says.
    pub(crate) fn value(&self, theta: &[f64], product: &[f64]) -> f64 {
        let parts = theta.iter().zip(product).zip(&self.linear);
        let moved = parts.map(|((t, p), b)| t * (p - 2.0 * b)).sum::<f64>();
        (self.constant + moved).max(0.0)
    }
}

/// Adds `sum_r weights_r rows_r` to `sum`.
struct WeightedSum<'a> {
    rows: Rows<'a>,
    weights: &'a [f64],
    sum: &'a mut [f64],
}

impl WithSimd for WeightedSum<'_> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "vector features reach only what is inlined")]
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        accumulate_dense(simd, self.rows, self.weights, self.sum);
    }
}
