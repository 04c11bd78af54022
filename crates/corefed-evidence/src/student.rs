//! Student's t: how far the mean of a few numbers may lie from what it estimates.

use std::f64::consts::{FRAC_PI_2, PI};

use crate::Level;

/// The `t` with `P(|T| <= t) = level`, for Student's `T` with so many degrees of freedom, at least one
/// (ledger E51).
pub(crate) fn two_sided(level: Level, freedom: usize) -> f64 {
    // In angles, so that halving ends whatever the level.
    let (mut lo, mut hi) = (0.0, FRAC_PI_2);
    loop {
        let middle = f64::midpoint(lo, hi);
        if middle <= lo || middle >= hi {
            return (freedom as f64).sqrt() * libm::tan(hi);
        }
        if within(middle, freedom) < level.get() {
            lo = middle;
        } else {
            hi = middle;
        }
    }
}

/// `P(|T| <= sqrt(freedom) tan(angle))`, a finite sum (Abramowitz and Stegun 26.7.3 and 26.7.4).
fn within(angle: f64, freedom: usize) -> f64 {
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let odd = freedom % 2;
    // Powers of the cosine up to `freedom - 2`, every second one, each with the ratio of its factors.
    let mut term = if odd == 1 { cosine } else { 1.0 };
    let (mut sum, mut power) = (0.0, odd);
    while power + 2 <= freedom {
        sum += term;
        term *= cosine * cosine * (power + 1) as f64 / (power + 2) as f64;
        power += 2;
    }
    if odd == 1 { (angle + sine * sum) * 2.0 / PI } else { sine * sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-11 * expected, "{found} {expected}");
    }

    #[test]
    fn one_to_four_degrees_of_freedom_have_closed_forms() {
        for angle in [0.05_f64, 0.4, 0.9, 1.4] {
            let (sine, cosine, tangent) = (angle.sin(), angle.cos(), angle.tan());
            let level = [
                angle * 2.0 / PI,
                sine,
                (angle + sine * cosine) * 2.0 / PI,
                sine * (1.0 + cosine * cosine / 2.0),
            ];
            for (freedom, level) in (1..).zip(level) {
                let found = two_sided(Level::new(level).unwrap(), freedom);
                close(found, (freedom as f64).sqrt() * tangent);
            }
        }
    }

    #[test]
    fn printed_tables_are_met() {
        // Two-sided 90 % and 95 % for 3, 4, 9 and 30 degrees of freedom.
        for (level, freedom, printed) in [
            (0.90, 3, 2.353_363),
            (0.90, 4, 2.131_847),
            (0.90, 9, 1.833_113),
            (0.95, 4, 2.776_445),
            (0.95, 30, 2.042_272),
        ] {
            let found = two_sided(Level::new(level).unwrap(), freedom);
            assert!((found - printed).abs() < 1e-6, "{freedom}: {found} {printed}");
        }
    }

    #[test]
    fn many_degrees_of_freedom_approach_the_normal_distribution() {
        let found = two_sided(Level::default(), 100_000);
        // 1.6448536 and a first correction of (z^3 + z)/(4 n).
        assert!((found - 1.644_869).abs() < 1e-5, "{found}");
    }
}
