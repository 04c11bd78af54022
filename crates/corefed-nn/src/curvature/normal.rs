//! GELU from a table of the normal distribution: the error function is most of the work otherwise.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};
use std::sync::LazyLock;

use crate::Activation;

/// Points per unit, and the last one: beyond it the function itself is asked.
const PER_UNIT: f64 = 64.0;
const LAST: f64 = 9.0;
const POINTS: u32 = 2 * 9 * 64 + 1;

/// One over 1 to 9.
const SHARES: [f64; 9] =
    [1.0, 1.0 / 2.0, 1.0 / 3.0, 1.0 / 4.0, 1.0 / 5.0, 1.0 / 6.0, 1.0 / 7.0, 1.0 / 8.0, 1.0 / 9.0];

/// Distribution and density at every point from `-LAST` to `LAST`.
static TABLE: LazyLock<Vec<(f64, f64)>> = LazyLock::new(|| {
    let at = |index: u32| {
        let x = f64::from(index) / PER_UNIT - LAST;
        let below = 0.5 * libm::erfc(-x * FRAC_1_SQRT_2);
        (below, libm::exp(-0.5 * x * x) * FRAC_1_SQRT_2 * FRAC_2_SQRT_PI / 2.0)
    };
    (0..POINTS).map(at).collect()
});

/// Value, slope and curvature of `x Phi(x)`. Next to a point the density is its own times `exp(-x h - h^2 / 2)`, whose series
/// in `t = -x h - h^2 / 2` is short, as `|h|` is at most 1/128; the distribution is the point's plus its integral.
pub(super) fn gelu(x: f64) -> [f64; 3] {
    let index = ((x + LAST) * PER_UNIT).round();
    let near = index / PER_UNIT - LAST;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "what is not a place of the table, or not a number, ends at one of its ends, and is refused below"
    )]
    let point = TABLE.get(index as usize);
    let Some(&(below, density)) = point.filter(|_| x.abs() < LAST) else {
        return Activation::Gelu.jet(x);
    };
    let h = x - near;
    let t = -h * (near + 0.5 * h);
    let mut power = 1.0;
    for share in SHARES.into_iter().rev() {
        power = 1.0 + power * t * share;
    }
    // Taylor's series of the distribution: derivatives of the density are Hermite's polynomials times it, and signs
    // change.
    let (mut last, mut hermite, mut order) = (1.0, near, 1.0);
    let (mut term, mut sum) = (h, h);
    for share in &SHARES[1..8] {
        term *= -h * share;
        sum += hermite * term;
        (last, hermite, order) = (hermite, near * hermite - order * last, order + 1.0);
    }
    let (below, density) = (below + density * sum, density * power);
    [x * below, below + x * density, density * (2.0 - x * x)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_gives_the_function_to_the_last_digits() {
        for k in -120_000..=120_000 {
            let x = f64::from(k) * 1.000_3e-4;
            let (found, exact) = (gelu(x), Activation::Gelu.jet(x));
            for (found, exact) in found.iter().zip(exact) {
                assert!(
                    (found - exact).abs() < 4e-15 * exact.abs().max(1.0),
                    "{x}: {found} {exact}"
                );
            }
        }
        assert!(gelu(f64::NAN)[0].is_nan());
        assert_eq!(gelu(f64::INFINITY)[0], f64::INFINITY);
    }
}
