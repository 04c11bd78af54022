//! Cholesky factors of positive definite matrices, single-threaded so that bits never depend on
//! the number of cores.
//!
//! A dense library does this, too, but it was a quarter of the build for two short routines;
//! `bench/dense` has both side by side.

use pulp::Arch;

use crate::factor::{Backward, Factor, Forward};
use crate::tile::PAD;

/// `A = U' U`, ready to solve.
pub struct Cholesky {
    dim: usize,
    /// Rows of `U`, each `stride` long; what lies left of the diagonal means nothing.
    factor: Vec<f64>,
    stride: usize,
}

impl Cholesky {
    /// Factors the row-major lower triangle `matrix` with `diagonal` applied to each entry of its
    /// diagonal; `None` when the result is not positive definite.
    #[must_use]
    pub fn new(matrix: &[f64], dim: usize, diagonal: impl Fn(f64) -> f64) -> Option<Self> {
        let stride = row_stride(dim);
        let mut factor = vec![0.0; dim * stride];
        for row in 0..dim {
            for col in 0..row {
                factor[col * stride + row] = matrix[row * dim + col];
            }
            factor[row * stride + row] = diagonal(matrix[row * dim + row]);
        }
        let definite = Arch::new().dispatch(Factor { rows: &mut factor, stride });
        definite.then_some(Self { dim, factor, stride })
    }

    /// Replaces `rhs` by the solution of `A x = rhs`.
    pub fn solve(&self, rhs: &mut [f64]) {
        self.half_solve(rhs);
        Arch::new().dispatch(Backward { rows: &self.factor, stride: self.stride, rhs });
    }

    /// Replaces `rhs` by `U'^{-1} rhs`, whose squared norm is `rhs' A^{-1} rhs`.
    pub fn half_solve(&self, rhs: &mut [f64]) {
        assert_eq!(rhs.len(), self.dim, "the right-hand side has one number per row");
        Arch::new().dispatch(Forward { rows: &self.factor, stride: self.stride, rhs });
    }
}

/// Room for a row, in whole vectors. Rows that lie a multiple of 512 bytes apart share few lines of
/// a cache; a factor of 250 rows took twice as long.
fn row_stride(dim: usize) -> usize {
    let stride = dim.next_multiple_of(PAD);
    if stride.is_multiple_of(64) { stride + PAD } else { stride }
}

/// A diagonal entry of a semidefinite matrix, raised by a relative `damping`.
///
/// Redundant features make Gram matrices singular, and rounding makes singular ones indefinite. A
/// raise in proportion does not depend on the units of the columns. A zero on the diagonal means a
/// zero row, so anything positive will do there.
#[must_use]
pub fn damped(entry: f64, damping: f64) -> f64 {
    if entry > 0.0 { entry * (1.0 + damping) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solving_undoes_multiplying() {
        // [[4, 2], [2, 3]] times (1, -2) is (0, -4); the upper triangle is never read.
        let lower = [4.0, f64::NAN, 2.0, 3.0];
        let mut x = [0.0, -4.0];
        Cholesky::new(&lower, 2, |a| a).unwrap().solve(&mut x);
        assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] + 2.0).abs() < 1e-15, "{x:?}");
        // (1, -2) [[4, 2], [2, 3]] (1, -2)' = 8.
        let mut half = [0.0, -4.0];
        Cholesky::new(&lower, 2, |a| a).unwrap().half_solve(&mut half);
        assert!((half[0].powi(2) + half[1].powi(2) - 8.0).abs() < 1e-14, "{half:?}");
    }

    #[test]
    fn every_size_solves_its_system() {
        // A = G G' + I with small integers in G, so that A and A x are exact.
        for dim in (1..70).chain([96, 131, 200]) {
            let entry = |r: usize, c: usize| ((r * 31 + c * 17 + r * c) % 7) as f64 - 3.0;
            let at = |r: usize, c: usize| -> f64 {
                let dot: f64 = (0..dim).map(|k| entry(r, k) * entry(c, k)).sum();
                dot + f64::from(u8::from(r == c)) * dim as f64
            };
            let matrix: Vec<f64> = (0..dim * dim).map(|k| at(k / dim, k % dim)).collect();
            let solution: Vec<f64> = (0..dim).map(|k| (k % 5) as f64 - 2.0).collect();
            let mut x: Vec<f64> = matrix
                .chunks_exact(dim)
                .map(|row| row.iter().zip(&solution).map(|(a, x)| a * x).sum())
                .collect();
            Cholesky::new(&matrix, dim, |a| a).unwrap().solve(&mut x);
            for (found, expected) in x.iter().zip(&solution) {
                assert!((found - expected).abs() < 1e-10, "{dim}: {found} != {expected}");
            }
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused_and_a_shift_mends_it() {
        let lower = [1.0, 0.0, 2.0, 1.0];
        assert!(Cholesky::new(&lower, 2, |a| a).is_none());
        assert!(Cholesky::new(&lower, 2, |a| a + 1.5).is_some());
        assert!(Cholesky::new(&[f64::NAN], 1, |a| a).is_none());
        assert!(Cholesky::new(&[f64::INFINITY], 1, |a| a).is_none());
    }

    #[test]
    fn a_late_pivot_is_looked_at_too() {
        // The identity but for its last entry, in every block that there is.
        for dim in [7, 8, 9, 31, 32, 33, 40, 65] {
            let mut matrix = vec![0.0; dim * dim];
            (0..dim).for_each(|k| matrix[k * dim + k] = 1.0);
            assert!(Cholesky::new(&matrix, dim, |a| a).is_some());
            matrix[dim * dim - 1] = -1.0;
            assert!(Cholesky::new(&matrix, dim, |a| a).is_none(), "{dim}");
        }
    }

    #[test]
    fn damping_mends_a_singular_matrix_in_any_units() {
        for unit in [1e-9, 1.0, 1e9] {
            let lower = [1.0, 0.0, 0.0, unit, unit * unit, 0.0, 0.0, 0.0, 0.0];
            assert!(Cholesky::new(&lower, 3, |a| a).is_none());
            assert!(Cholesky::new(&lower, 3, |a| damped(a, 1e-12)).is_some());
        }
    }
}
