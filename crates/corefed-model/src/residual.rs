//! Residuals that keep their digits, however far from zero the targets are.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use pulp::{Simd, WithSimd};

use crate::{accumulate::accumulate, gram::BLOCK, rows::Rows};

/// A sum carried in twice the working precision.
#[derive(Clone, Copy)]
struct Twofold {
    high: f64,
    low: f64,
}

impl Twofold {
    /// Adds a number; what rounding takes away is kept.
    #[inline(always)]
    fn add(self, value: f64) -> Self {
        let high = self.high + value;
        let part = high - self.high;
        let lost = (self.high - (high - part)) + (value - part);
        Self { high, low: self.low + lost }
    }

    /// Subtracts a product, its rounding error included.
    #[inline(always)]
    fn subtract_product(self, a: f64, b: f64) -> Self {
        let product = a * b;
        let lost = a.mul_add(b, -product);
        let sum = self.add(-product);
        Self { low: sum.low - lost, ..sum }
    }
}

/// Sums over some rows of the weighted squared residuals `y - x·theta` (returned) and of residual
/// times row (added to `slope`).
///
/// Each residual is that of a computation in twice the working precision, rounded once: with
/// targets around `1e12` and residuals around one, a plain one has four digits left.
pub(crate) struct ResidualPass<'a> {
    pub(crate) rows: Rows<'a>,
    pub(crate) target: &'a [f64],
    pub(crate) params: &'a [f64],
    pub(crate) slope: &'a mut [f64],
}

impl WithSimd for ResidualPass<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let mut residuals = [0.0; BLOCK];
        let mut sum = 0.0;
        for start in (0..self.rows.len).step_by(BLOCK) {
            let rows = self.rows.block(start, BLOCK.min(self.rows.len - start));
            let residuals = &mut residuals[..rows.len];
            let mut on = rows.varying();
            for (r, out) in residuals.iter_mut().enumerate() {
                let mut twofold = Twofold { high: self.target[start + r], low: 0.0 };
                let dense = &rows.dense[r * rows.dense_cols..][..rows.dense_cols];
                for (x, param) in dense.iter().zip(self.params) {
                    twofold = twofold.subtract_product(*x, *param);
                }
                for &column in on.next().unwrap_or(&[]) {
                    twofold = twofold.add(-self.params[column as usize]);
                }
                if let Some(column) = rows.always {
                    twofold = twofold.add(-self.params[column]);
                }
                *out = twofold.high + twofold.low;
            }
            for (r, residual) in residuals.iter_mut().enumerate() {
                let weighted = *residual * rows.weights.get(r).unwrap_or(&1.0);
                sum += weighted * *residual;
                *residual = weighted;
            }
            accumulate(simd, rows, residuals, self.slope);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_residual_keeps_the_digits_that_a_plain_one_loses() {
        // y - y (1 + 2^-52): all that is left is the rounding error of the product.
        let y = 1e16;
        let (a, b) = (1.0 + f64::EPSILON, 1e16);
        let exact = -2.220_446_049_250_313; // -(1e16 * 2^-52)
        let twofold = Twofold { high: y, low: 0.0 }.subtract_product(a, b);
        assert!((twofold.high + twofold.low - exact).abs() < 1e-15);
        assert!((y - a * b - exact).abs() > 0.1, "the plain one is off");
        // A small number survives between two large ones.
        let sum = Twofold { high: 1.0, low: 0.0 }.add(1e30).add(-1e30);
        assert_eq!((sum.high + sum.low).to_bits(), 1_f64.to_bits());
    }
}
