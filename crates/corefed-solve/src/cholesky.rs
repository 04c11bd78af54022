//! Cholesky factors of positive definite matrices, single-threaded so that bits never depend on
//! the number of cores.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::{MatMut, MatRef, Par};

/// `A + shift I = L L'`, ready to solve.
pub(crate) struct Cholesky {
    dim: usize,
    /// Column-major; only the lower triangle means anything.
    factor: Vec<f64>,
}

impl Cholesky {
    /// Factors the row-major lower triangle `matrix` plus `shift` on the diagonal; `None` when the
    /// sum is not positive definite.
    pub(crate) fn new(matrix: &[f64], dim: usize, shift: f64) -> Option<Self> {
        let mut factor = vec![0.0; dim * dim];
        for row in 0..dim {
            for col in 0..=row {
                factor[col * dim + row] = matrix[row * dim + col];
            }
            factor[row * dim + row] += shift;
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

    /// Replaces `rhs` by the solution of `(A + shift I) x = rhs`.
    pub(crate) fn solve(&self, rhs: &mut [f64]) {
        llt::solve::solve_in_place(
            MatRef::from_column_major_slice(&self.factor, self.dim, self.dim),
            MatMut::from_column_major_slice_mut(rhs, self.dim, 1),
            Par::Seq,
            MemStack::new(&mut []),
        );
    }

    /// Replaces `rhs` by `L^{-1} rhs`, whose squared norm is `rhs' (A + shift I)^{-1} rhs`.
    pub(crate) fn half_solve(&self, rhs: &mut [f64]) {
        faer::linalg::triangular_solve::solve_lower_triangular_in_place(
            MatRef::from_column_major_slice(&self.factor, self.dim, self.dim),
            MatMut::from_column_major_slice_mut(rhs, self.dim, 1),
            Par::Seq,
        );
    }
}

/// `A x` for the row-major lower triangle of a symmetric matrix.
pub(crate) fn symmetric_product(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    let dim = x.len();
    let mut product = vec![0.0; dim];
    for (row, line) in matrix.chunks_exact(dim).enumerate() {
        let below = &line[..row];
        let mut sum = line[row] * x[row];
        for ((a, x_col), y_col) in below.iter().zip(x).zip(product.iter_mut()) {
            sum += a * x_col;
            *y_col += a * x[row];
        }
        product[row] += sum;
    }
    product
}

/// Adds `scale v v'` to the row-major lower triangle `matrix`, whose rows are `stride` long.
pub fn add_outer(matrix: &mut [f64], stride: usize, scale: f64, v: &[f64]) {
    for (row, a) in v.iter().enumerate() {
        let line = &mut matrix[row * stride..][..=row];
        corefed_core::linalg::axpy(scale * a, &v[..=row], line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solving_undoes_multiplying() {
        // [[4, 2], [2, 3]]; the upper triangle is never read.
        let lower = [4.0, f64::NAN, 2.0, 3.0];
        let mut x = symmetric_product(&lower, &[1.0, -2.0]);
        assert_eq!(x, [0.0, -4.0]);
        Cholesky::new(&lower, 2, 0.0).unwrap().solve(&mut x);
        assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] + 2.0).abs() < 1e-15, "{x:?}");
    }

    #[test]
    fn an_indefinite_matrix_is_refused_and_a_shift_mends_it() {
        let lower = [1.0, 0.0, 2.0, 1.0];
        assert!(Cholesky::new(&lower, 2, 0.0).is_none());
        assert!(Cholesky::new(&lower, 2, 1.5).is_some());
    }

    #[test]
    fn outer_products_fill_the_lower_triangle() {
        let mut matrix = [0.0; 9];
        add_outer(&mut matrix, 3, 2.0, &[1.0, 3.0]);
        assert_eq!(matrix, [2.0, 0.0, 0.0, 6.0, 18.0, 0.0, 0.0, 0.0, 0.0]);
    }
}
