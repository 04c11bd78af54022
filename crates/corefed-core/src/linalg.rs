//! Dot products and norms of slices, summed in order so that results are reproducible.

/// `<a, b>`.
#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// `|a|`, the Euclidean norm.
#[must_use]
pub fn norm_l2(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// `y += a x`.
pub fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}
