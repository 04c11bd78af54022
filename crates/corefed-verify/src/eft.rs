//! Error-free transformations: what an operation on doubles rounds away, exactly.
//!
//! Rust computes on doubles as IEEE 754 says, rounding to nearest, so the part that is rounded away can
//! be had by further operations (Dekker 1971, Knuth 1969). Everything that the checker encloses rests
//! on these few lines.

/// Half the distance from 1 to the next double.
pub(crate) const UNIT: f64 = f64::EPSILON / 2.0;
/// The smallest positive double.
const TINY: f64 = f64::from_bits(1);
/// Below this the error of a product may itself underflow.
const SMALL: f64 = 1e-280;

/// `a + b` rounded, and what was rounded away. Exact unless the sum overflows, which leaves
/// something that is not finite in the pair.
#[inline]
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    (sum, (a - a_part) + (b - b_part))
}

/// `a * b` rounded, what was rounded away, and how far the latter may be off: nothing, unless the
/// product is so small that it underflows.
#[inline]
pub(crate) fn two_product(a: f64, b: f64) -> (f64, f64, f64) {
    let product = a * b;
    if product.abs() < SMALL {
        if a == 0.0 || b == 0.0 {
            return (product, 0.0, 0.0);
        }
        return (product, 0.0, product.abs() * f64::EPSILON + TINY);
    }
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    let lost = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    (product, lost, 0.0)
}

/// Two parts of 26 bits each; not finite for numbers above 1e300.
#[inline]
fn split(a: f64) -> (f64, f64) {
    let scaled = 134_217_729.0 * a;
    let high = scaled - (scaled - a);
    (high, a - high)
}

/// At least `a + b`, for numbers that are not negative.
#[inline]
pub(crate) fn add_up(a: f64, b: f64) -> f64 {
    if a == 0.0 {
        b
    } else if b == 0.0 {
        a
    } else {
        (a + b).next_up()
    }
}

/// At least `a * b`, for numbers that are not negative.
#[inline]
pub(crate) fn mul_up(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { (a * b).next_up() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::BigRational;
    use proptest::prelude::*;

    fn exact(value: f64) -> BigRational {
        BigRational::from_float(value).unwrap()
    }

    /// Doubles of every size, and some that cancel.
    fn any_double() -> impl Strategy<Value = f64> {
        (any::<bool>(), -1074_i32..990, 0_u64..1 << 52).prop_map(|(minus, exponent, bits)| {
            let value = (1.0 + bits as f64 * f64::EPSILON) * 2.0_f64.powi(exponent);
            if minus { -value } else { value }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn sums_and_products_lose_nothing(a in any_double(), b in any_double()) {
            let (sum, lost) = two_sum(a, b);
            prop_assert_eq!(exact(a) + exact(b), exact(sum) + exact(lost));
            let (product, lost, off) = two_product(a, b);
            if product.is_finite() && lost.is_finite() {
                let rest = exact(a) * exact(b) - exact(product) - exact(lost);
                prop_assert!(rest <= exact(off) && -rest <= exact(off), "{} {}", a, b);
            }
        }
    }
}
