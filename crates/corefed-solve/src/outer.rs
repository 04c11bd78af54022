//! Rank-one updates of symmetric matrices.

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
    fn outer_products_fill_the_lower_triangle() {
        let mut matrix = [0.0; 9];
        add_outer(&mut matrix, 3, 2.0, &[1.0, 3.0]);
        assert_eq!(matrix, [2.0, 0.0, 0.0, 6.0, 18.0, 0.0, 0.0, 0.0, 0.0]);
    }
}
