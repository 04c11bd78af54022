//! Eigenvalues of a small symmetric tridiagonal matrix, with the last entry of each eigenvector.

/// Sweeps of Jacobi's method; convergence is quadratic and takes about ten.
const MOST_SWEEPS: usize = 60;

/// Eigenvalues ascending, each with the last entry of its unit eigenvector.
///
/// Jacobi's rotations on the full matrix: a few lines, no special cases, and fast enough for the
/// few hundred rows that Lanczos' method leaves.
pub(crate) fn eigen(diagonal: &[f64], below: &[f64]) -> Vec<(f64, f64)> {
    let n = diagonal.len();
    let mut a = vec![0.0; n * n];
    for (k, value) in diagonal.iter().enumerate() {
        a[k * n + k] = *value;
    }
    for (k, value) in below.iter().enumerate() {
        a[k * n + k + 1] = *value;
        a[(k + 1) * n + k] = *value;
    }
    let mut last = vec![0.0; n];
    last[n - 1] = 1.0;
    for _ in 0..MOST_SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                rotated |= rotate(&mut a, &mut last, n, p, q);
            }
        }
        if !rotated {
            break;
        }
    }
    let mut pairs: Vec<(f64, f64)> = (0..n).map(|k| (a[k * n + k], last[k])).collect();
    pairs.sort_by(|x, y| x.0.total_cmp(&y.0));
    pairs
}

/// Makes entry `(p, q)` zero by a rotation of both rows and columns; `false` if it is negligible.
fn rotate(a: &mut [f64], last: &mut [f64], n: usize, p: usize, q: usize) -> bool {
    let (app, aqq, apq) = (a[p * n + p], a[q * n + q], a[p * n + q]);
    if apq.abs() <= 0.1 * f64::EPSILON * (app.abs() + aqq.abs()) || apq.abs() < f64::MIN_POSITIVE {
        return false;
    }
    // The smaller of the two angles, as the root of t^2 + 2 theta t - 1 that does not cancel.
    let theta = (aqq - app) / (2.0 * apq);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for k in 0..n {
        let (x, y) = (a[k * n + p], a[k * n + q]);
        (a[k * n + p], a[k * n + q]) = (c * x - s * y, s * x + c * y);
    }
    for k in 0..n {
        let (x, y) = (a[p * n + k], a[q * n + k]);
        (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y);
    }
    (last[p], last[q]) = (c * last[p] - s * last[q], s * last[p] + c * last[q]);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_rows_by_hand() {
        // [[2, 1], [1, 2]] has 1 and 3 with vectors (1, -1) and (1, 1) over sqrt(2).
        let found = eigen(&[2.0, 2.0], &[1.0]);
        for ((value, last), expected) in found.iter().zip([1.0, 3.0]) {
            assert!((value - expected).abs() < 1e-15, "{found:?}");
            assert!((last.abs() - 0.5_f64.sqrt()).abs() < 1e-15, "{found:?}");
        }
    }

    #[test]
    fn the_discrete_laplacian_has_its_known_spectrum() {
        // 2 - 2 cos(k pi / (n+1)), and the last entry of vector k is sqrt(2/(n+1)) |sin(n k
        // pi/(n+1))|.
        let n = 40;
        let angle = |k: usize| (k + 1) as f64 * std::f64::consts::PI / (n as f64 + 1.0);
        for (k, (value, last)) in eigen(&vec![2.0; n], &vec![-1.0; n - 1]).iter().enumerate() {
            assert!((value - (2.0 - 2.0 * angle(k).cos())).abs() < 1e-13, "{k}: {value}");
            let expected = (2.0 / (n as f64 + 1.0)).sqrt() * (n as f64 * angle(k)).sin().abs();
            assert!((last.abs() - expected).abs() < 1e-12, "{k}: {last} {expected}");
        }
    }
}
