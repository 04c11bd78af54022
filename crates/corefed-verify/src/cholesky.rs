//! A plain Cholesky factorisation, to see that a matrix is positive definite and to divide by it.

/// `b' B^-1 b` for a symmetric matrix given by its rows; `None` unless every pivot is positive,
/// that is unless `B` is positive definite.
pub(crate) fn inverse_quadratic_form(matrix: &[Vec<f64>], b: &[f64]) -> Option<f64> {
    let n = b.len();
    let mut lower = vec![vec![0.0; n]; n];
    // With `B = L L'`, the form is `|y|^2` for `L y = b`.
    let mut y = vec![0.0; n];
    for i in 0..n {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            let rest = matrix[i][j] - known;
            if i == j {
                if !(rest > 0.0 && rest.is_finite()) {
                    return None;
                }
                lower[i][i] = rest.sqrt();
            } else {
                lower[i][j] = rest / lower[j][j];
            }
        }
        let known: f64 = (0..i).map(|k| lower[i][k] * y[k]).sum();
        y[i] = (b[i] - known) / lower[i][i];
    }
    Some(y.iter().map(|entry| entry * entry).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_by_hand() {
        // B = [[2, 1], [1, 2]] has inverse [[2, -1], [-1, 2]] / 3: (1, 1) gives 2/3.
        let matrix = [vec![2.0, 1.0], vec![1.0, 2.0]];
        let form = inverse_quadratic_form(&matrix, &[1.0, 1.0]).unwrap();
        assert!((form - 2.0 / 3.0).abs() < 1e-15);
        assert_eq!(inverse_quadratic_form(&[vec![1.0, 2.0], vec![2.0, 1.0]], &[0.0, 0.0]), None);
        assert_eq!(inverse_quadratic_form(&[vec![f64::NAN]], &[0.0]), None);
    }
}
