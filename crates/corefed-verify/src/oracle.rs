//! Exact sums and products of doubles, and logarithms to 300 bits: what enclosures are held against.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

/// Numbers are integers times `2^-SCALE`: every double is exact, and so are products of products of those
/// from 1e-50 on.
const SCALE: u64 = 1100;
/// Bits after the point of logarithms.
const BITS: u64 = 320;

/// An exact number.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub(crate) struct Exact(BigInt);

impl Exact {
    /// A double as it is.
    pub(crate) fn of(value: f64) -> Self {
        let bits = value.abs().to_bits();
        let (exponent, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
        let (mantissa, exponent) =
            if exponent == 0 { (fraction, 1) } else { (fraction | 1 << 52, exponent) };
        // The double is mantissa * 2^(exponent - 1075).
        let integer = BigInt::from(mantissa);
        let scaled = integer << (SCALE + exponent - 1075);
        Self(if value < 0.0 { -scaled } else { scaled })
    }

    pub(crate) fn zero() -> Self {
        Self(BigInt::zero())
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self(&self.0 + &other.0)
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        Self(&self.0 - &other.0)
    }

    /// The product of numbers with at most half the bits after the point.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let product = &self.0 * &other.0;
        let scaled = &product >> SCALE;
        assert!(scaled.clone() << SCALE == product, "products are exact");
        Self(scaled)
    }

    pub(crate) fn abs(&self) -> Self {
        Self(self.0.abs())
    }

    /// `log(1 + sum_k exp(t_k - most)) + most` of some numbers and zero, to about 300 bits: the log of the sum of
    /// exponentials of zero and the numbers.
    pub(crate) fn log_sum_exp(numbers: &[Self]) -> Self {
        let zero = Self::zero();
        let most = numbers.iter().fold(&zero, |a, b| if b.0 > a.0 { b } else { a }).clone();
        let all = numbers.iter().chain([&zero]);
        let total: BigInt = all.map(|t| exp_below(&(&t.0 - &most.0))).sum();
        Self((log(&total) << (SCALE - BITS)) + most.0)
    }
}

/// `exp(t)` with [`BITS`] bits after the point, for `t <= 0` given with [`SCALE`].
fn exp_below(t: &BigInt) -> BigInt {
    let t = t >> (SCALE - BITS);
    let one = BigInt::one() << BITS;
    let far = BigInt::from(-400) << BITS;
    if t < far {
        return BigInt::zero();
    }
    // Halved ten times, summed by Taylor, squared ten times.
    let small = &t >> 10;
    let (mut sum, mut term) = (one.clone(), one);
    for k in 1.. {
        term = ((term * &small) >> BITS) / k;
        if term.is_zero() || term == BigInt::from(-1) {
            break;
        }
        sum += &term;
    }
    for _ in 0..10 {
        sum = (&sum * &sum) >> BITS;
    }
    sum
}

/// `log(s)` for `s >= 1`, both with [`BITS`] bits after the point: `2 artanh((s - 1)/(s + 1))`.
fn log(s: &BigInt) -> BigInt {
    let one = BigInt::one() << BITS;
    let z = ((s - &one) << BITS) / (s + &one);
    let square = (&z * &z) >> BITS;
    let (mut sum, mut power) = (BigInt::zero(), z);
    for k in (1..).step_by(2) {
        if power.is_zero() {
            break;
        }
        sum += &power / k;
        power = (&power * &square) >> BITS;
    }
    sum << 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oracle_knows_logarithms() {
        let close = |found: &Exact, expected: f64| {
            found.minus(&Exact::of(expected)).abs() <= Exact::of(2e-16 * expected)
        };
        let ln =
            |t: &[f64]| Exact::log_sum_exp(&t.iter().map(|t| Exact::of(*t)).collect::<Vec<_>>());
        assert!(close(&ln(&[0.0]), std::f64::consts::LN_2));
        assert!(close(&ln(&[0.0, 0.0]), 1.098_612_288_668_109_8));
        assert!(close(&ln(&[-6.0]), 0.002_475_685_137_730_449));
        assert!(close(&ln(&[6.0]), 6.002_475_685_137_73));
        // log 2 = 0.69314718055994530941723212145817656807550013436025...
        let digits = "69314718055994530941723212145817656807550013436025";
        let expected: BigInt = digits.parse().unwrap();
        let found = (ln(&[0.0]).0 * BigInt::from(10).pow(50)) >> SCALE;
        assert!((found - expected).abs() <= BigInt::one());
    }
}
