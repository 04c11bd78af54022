//! Cholesky factors of positive definite matrices, single-threaded so that bits never depend on
//! the number of cores.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::{MatMut, MatRef, Par};

/// `A = L L'`, ready to solve.
pub struct Cholesky {
    dim: usize,
    /// Column-major; only the lower triangle means anything.
    factor: Vec<f64>,
}

impl Cholesky {
    /// Factors the row-major lower triangle `matrix` with `diagonal` applied to each entry of its
    /// diagonal; `None` when the result is not positive definite.
    #[must_use]
    pub fn new(matrix: &[f64], dim: usize, diagonal: impl Fn(f64) -> f64) -> Option<Self> {
        let mut factor = vec![0.0; dim * dim];
        for row in 0..dim {
            for col in 0..=row {
                factor[col * dim + row] = matrix[row * dim + col];
            }
            factor[row * dim + row] = diagonal(matrix[row * dim + row]);
        }
        let mut buffer = MemBuffer::new(llt::factor::cholesky_in_place_scratch::<f64>(
            dim,
            Par::Seq,
            faer::Spec::default(),
        ));
        llt::factor::cholesky_in_place(
            MatMut::from_column_major_slice_mut(&mut factor, dim, dim),
            llt::factor::LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut buffer),
            faer::Spec::default(),
        )
        .ok()?;
        Some(Self { dim, factor })
    }

    /// Replaces `rhs` by the solution of `A x = rhs`.
    pub fn solve(&self, rhs: &mut [f64]) {
        llt::solve::solve_in_place(
            MatRef::from_column_major_slice(&self.factor, self.dim, self.dim),
            MatMut::from_column_major_slice_mut(rhs, self.dim, 1),
            Par::Seq,
            MemStack::new(&mut []),
        );
    }

    /// Replaces `rhs` by `L^{-1} rhs`, whose squared norm is `rhs' A^{-1} rhs`.
    pub fn half_solve(&self, rhs: &mut [f64]) {
        faer::linalg::triangular_solve::solve_lower_triangular_in_place(
            MatRef::from_column_major_slice(&self.factor, self.dim, self.dim),
            MatMut::from_column_major_slice_mut(rhs, self.dim, 1),
            Par::Seq,
        );
    }
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
    fn an_indefinite_matrix_is_refused_and_a_shift_mends_it() {
        let lower = [1.0, 0.0, 2.0, 1.0];
        assert!(Cholesky::new(&lower, 2, |a| a).is_none());
        assert!(Cholesky::new(&lower, 2, |a| a + 1.5).is_some());
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
