//! Student's t distribution: how far a mean may be from what it estimates, in standard errors.

/// Terms of the continued fraction; ten are typical.
const MOST_TERMS: u32 = 500;

/// Halvings of an interval that contains a quantile: down to neighbouring numbers.
const HALVINGS: u32 = 200;

/// `P(T <= t)` with `df > 0` degrees of freedom (ledger E52).
#[must_use]
pub fn student_t_cdf(t: f64, df: f64) -> f64 {
    if t.is_infinite() {
        return if t > 0.0 { 1.0 } else { 0.0 };
    }
    // The tail beyond |t|, which keeps its digits where `1 - cdf` would not.
    let tail = 0.5 * incomplete_beta(0.5 * df, 0.5, df / (df + t * t));
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The number that `T` stays below with probability `p`, strictly between 0 and 1 (ledger E52).
///
/// # Panics
/// If `p` is not strictly between 0 and 1: a bug of the caller.
#[must_use]
pub fn student_t_quantile(p: f64, df: f64) -> f64 {
    assert!(p > 0.0 && p < 1.0, "a quantile belongs to a probability strictly between 0 and 1");
    if p > 0.5 {
        // Lower tails keep their digits.
        return -student_t_quantile(1.0 - p, df);
    }
    let mut lo = -1.0;
    while student_t_cdf(lo, df) > p {
        lo *= 2.0;
    }
    let mut hi = 0.0;
    for _ in 0..HALVINGS {
        let middle = 0.5 * (lo + hi);
        if middle <= lo || middle >= hi {
            break;
        }
        if student_t_cdf(middle, df) > p {
            hi = middle;
        } else {
            lo = middle;
        }
    }
    0.5 * (lo + hi)
}

/// `I_x(a, b)`, the regularised incomplete beta function.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let log_front = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b)
        + a * libm::log(x)
        + b * libm::log1p(-x);
    let front = libm::exp(log_front);
    // The fraction converges fast on this side of the mean; the other side is its mirror image.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(a, b, x) / a
    } else {
        1.0 - front * fraction(b, a, 1.0 - x) / b
    }
}

/// The continued fraction of the incomplete beta function by Lentz's method.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let safe = |value: f64| if value.abs() < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / safe(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for term in 1..=MOST_TERMS {
        let m = f64::from(term);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for step in [even, odd] {
            d = 1.0 / safe(1.0 + step * d);
            c = safe(1.0 + step / c);
            value *= d * c;
        }
        if (d * c - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_and_two_degrees_of_freedom_have_closed_forms() {
        for t in [-30.0, -2.5, -0.3, 0.0, 0.1, 1.0, 7.0] {
            // Cauchy, and t / (2 sqrt(2 + t^2)) about one half.
            let one = 0.5 + f64::atan(t) / PI;
            let two = 0.5 + 0.5 * t / (2.0 + t * t).sqrt();
            assert!((student_t_cdf(t, 1.0) - one).abs() < 1e-14, "{t}");
            assert!((student_t_cdf(t, 2.0) - two).abs() < 1e-14, "{t}");
        }
    }

    #[test]
    fn quantiles_are_those_of_tables() {
        // Two-sided 90 % and 99 %: Student's own table, and SciPy 1.16 for the digits.
        for (p, df, expected) in [
            (0.95, 4.0, 2.131_846_786_326_65),
            (0.95, 29.0, 1.699_127_026_533_498),
            (0.995, 10.0, 3.169_272_672_616_951),
            (0.95, 1e6, 1.644_855_150_722_04),
        ] {
            let found = student_t_quantile(p, df);
            // Logarithms of the gamma function lose digits as they grow.
            assert!((found - expected).abs() < 1e-12 * f64::max(df, 1e3), "{p} {df}: {found}");
        }
    }

    proptest! {
        #[test]
        fn the_quantile_undoes_the_distribution(p in 1e-9..0.999_999_f64, df in 1.0..500.0_f64) {
            let back = student_t_cdf(student_t_quantile(p, df), df);
            prop_assert!((back / p - 1.0).abs() < 1e-8, "{back}");
        }
    }
}
