//! Norms of matrices, from above.

/// Squarings of a Gram matrix. The bound is at most `n^(1/64)` too large for `n` columns or rows, whichever
/// are fewer: 10 % for 512.
const SQUARINGS: usize = 4;

/// At least the Euclidean norm of some numbers.
pub(super) fn frobenius(numbers: &[f32]) -> f64 {
    let sum: f64 = numbers.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
    sum.sqrt() * slack(numbers.len())
}

/// At least the spectral norm of a matrix with rows of `columns` numbers (ledger E37).
pub(super) fn spectral(matrix: &[f32], columns: usize) -> f64 {
    let mut in_column = vec![0.0; columns];
    let mut largest_row = 0.0_f64;
    for row in matrix.chunks_exact(columns) {
        let mut in_row = 0.0;
        for (sum, x) in in_column.iter_mut().zip(row) {
            *sum += f64::from(x.abs());
            in_row += f64::from(x.abs());
        }
        largest_row = largest_row.max(in_row);
    }
    let largest_column = in_column.into_iter().fold(0.0, f64::max);
    let mixed = (largest_row * largest_column).sqrt() * slack(matrix.len());
    frobenius(matrix).min(mixed).min(by_squaring(matrix, columns))
}

/// Sums of `n` products are off by less than this factor, whatever the order.
fn slack(n: usize) -> f64 {
    1.0 + (n + 10) as f64 * f64::EPSILON
}

/// From the Frobenius norm of a high power of the Gram matrix `G`: `|G|^(2^j) = |G^(2^j)|`.
fn by_squaring(matrix: &[f32], columns: usize) -> f64 {
    let rows = matrix.len() / columns;
    let n = rows.min(columns);
    let mut power = vec![0.0; n * n];
    if rows < columns {
        for (i, left) in matrix.chunks_exact(columns).enumerate() {
            for (j, right) in matrix.chunks_exact(columns).enumerate() {
                let products = left.iter().zip(right).map(|(a, b)| f64::from(*a) * f64::from(*b));
                power[i * n + j] = products.sum();
            }
        }
    } else {
        for row in matrix.chunks_exact(columns) {
            for (&x, sums) in row.iter().zip(power.chunks_exact_mut(n)) {
                for (sum, &y) in sums.iter_mut().zip(row) {
                    *sum += f64::from(x) * f64::from(y);
                }
            }
        }
    }
    // What rounding did to the Gram matrix, in the Frobenius norm.
    let squares = frobenius(matrix).powi(2);
    let mut scales = vec![normalise(&mut power)];
    let mut next = vec![0.0; n * n];
    for _ in 0..SQUARINGS {
        next.fill(0.0);
        for (left, sums) in power.chunks_exact(n).zip(next.chunks_exact_mut(n)) {
            for (&x, right) in left.iter().zip(power.chunks_exact(n)) {
                for (sum, &y) in sums.iter_mut().zip(right) {
                    *sum += x * y;
                }
            }
        }
        std::mem::swap(&mut power, &mut next);
        scales.push(normalise(&mut power));
    }
    // Of the last power, whose Frobenius norm is one; then of each before it, with what rounding added to its
    // square: the rounding of `n` products of a matrix of norm one.
    let rounding = slack(n) - 1.0;
    let mut bound = 1.0 + rounding;
    for scale in scales[1..].iter().rev() {
        bound = (scale * bound + 2.0 * rounding).sqrt() * slack(0);
    }
    let gram = scales[0] * bound + 2.0 * (slack(rows.max(columns)) - 1.0) * squares;
    if gram.is_finite() { gram.sqrt() * slack(0) } else { f64::INFINITY }
}

/// Divides by the Frobenius norm, and returns at least that.
fn normalise(matrix: &mut [f64]) -> f64 {
    let norm = matrix.iter().map(|x| x * x).sum::<f64>().sqrt();
    if norm > 0.0 {
        for x in &mut *matrix {
            *x /= norm;
        }
    }
    norm * slack(matrix.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The largest singular value, by many multiplications.
    fn largest_singular_value(matrix: &[f32], columns: usize) -> f64 {
        let mut x: Vec<f64> = (0..columns).map(|i| 1.0 + 0.1 * i as f64).collect();
        let mut value = 0.0;
        for _ in 0..2000 {
            let y: Vec<f64> = matrix
                .chunks_exact(columns)
                .map(|row| row.iter().zip(&x).map(|(a, b)| f64::from(*a) * b).sum())
                .collect();
            let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
            value = norm(&y) / norm(&x);
            x = (0..columns)
                .map(|j| {
                    matrix
                        .iter()
                        .skip(j)
                        .step_by(columns)
                        .zip(&y)
                        .map(|(a, b)| f64::from(*a) * b)
                        .sum()
                })
                .collect();
            let scale = norm(&x);
            if scale == 0.0 {
                return 0.0;
            }
            for x in &mut x {
                *x /= scale;
            }
        }
        value
    }

    proptest! {
        #[test]
        fn bounds_are_above_the_largest_singular_value_and_close(
            columns in 1_usize..9,
            numbers in prop::collection::vec(-2.0_f32..2.0, 8..120),
        ) {
            let rows = numbers.len() / columns;
            let matrix = &numbers[..rows * columns];
            let (bound, value) = (spectral(matrix, columns), largest_singular_value(matrix, columns));
            prop_assert!(bound >= value, "{bound} < {value}");
            // n^(1/64), and a little.
            prop_assert!(bound <= 1.04 * value + 1e-6, "{bound} > {value}");
        }
    }

    #[test]
    fn a_diagonal_matrix_has_its_largest_entry() {
        // Its 32nd power is nearly that of the largest entry alone.
        let matrix = [3.0, 0.0, 0.0, 0.0, -7.0, 0.0, 0.0, 0.0, 5.0];
        let bound = spectral(&matrix, 3);
        assert!((7.0..7.0 + 1e-4).contains(&bound), "{bound}");
        assert_eq!(spectral(&[0.0; 6], 3), 0.0);
    }
}
