//! Hall's monotone transformation, which takes the skewness of a mean out of Student's ratio (ledger E57).

/// Of a ratio of a mean to its error, whose distribution is then nearly Student's. `gamma` is the skewness of
/// the mean.
pub(crate) fn transformed(gamma: f64, t: f64) -> f64 {
    if !t.is_finite() {
        return t;
    }
    let a = gamma / 3.0;
    t + a * t * t + a * a * t * t * t / 3.0 + gamma / 6.0
}

/// The inverse of the transformation.
pub(crate) fn untransformed(gamma: f64, x: f64) -> f64 {
    let (a, shifted) = (gamma / 3.0, x - gamma / 6.0);
    // The quotient loses its digits as `a` vanishes, where it is `shifted` itself.
    if a.abs() < 1e-7 { shifted } else { ((1.0 + 3.0 * a * shifted).cbrt() - 1.0) / a }
}
