//! A small positive definite system, for the minimum-norm program.

/// Overwrites the lower triangle of the row-major `matrix` by its Cholesky factor; false if some
/// pivot is not positive.
pub(crate) fn factor(matrix: &mut [f64], n: usize) -> bool {
    for row in 0..n {
        let (done, rest) = matrix.split_at_mut(row * n);
        let current = &mut rest[..n];
        for col in 0..row {
            let above = &done[col * n..=col * n + col];
            let sum = dot(&current[..col], &above[..col]);
            current[col] = (current[col] - sum) / above[col];
        }
        let pivot = current[row] - dot(&current[..row], &current[..row]);
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        current[row] = pivot.sqrt();
    }
    true
}

/// Solves with the factor, in place.
pub(crate) fn solve(factor: &[f64], rhs: &mut [f64]) {
    let n = rhs.len();
    for row in 0..n {
        let sum = dot(&factor[row * n..row * n + row], &rhs[..row]);
        rhs[row] = (rhs[row] - sum) / factor[row * n + row];
    }
    for row in (0..n).rev() {
        rhs[row] /= factor[row * n + row];
        let value = rhs[row];
        let below = factor[row * n..row * n + row].iter();
        rhs[..row].iter_mut().zip(below).for_each(|(entry, f)| *entry -= f * value);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_solves_its_system() {
        // A = L L' with L = (2, 0, 0; 1, 3, 0; -1, 2, 1), and A (1, 2, 3)' = (2, 37, 26)'.
        let mut matrix = [4.0, 2.0, -2.0, 2.0, 10.0, 5.0, -2.0, 5.0, 6.0];
        assert!(factor(&mut matrix, 3));
        assert_eq!([matrix[0], matrix[3], matrix[4], matrix[8]], [2.0, 1.0, 3.0, 1.0]);
        let mut x = [2.0, 37.0, 26.0];
        solve(&matrix, &mut x);
        assert_eq!(x, [1.0, 2.0, 3.0]);
    }

    #[test]
    fn an_indefinite_matrix_has_no_factor() {
        assert!(!factor(&mut [1.0, 2.0, 2.0, 1.0], 2));
        assert!(!factor(&mut [f64::NAN], 1));
    }
}
