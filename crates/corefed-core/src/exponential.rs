//! Exponential and logarithm in a form that compilers turn into vector instructions.
//!
//! The branch-free kernels of FDLIBM, restricted to the arguments of the losses. Both stay
//! within one unit in the last place and use no fused operation, so every machine computes the
//! same bits.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

/// Below it `exp` is subnormal and returned as zero.
const LOWEST: f64 = -708.0;
/// Above it `exp` is returned as infinite, a little before it overflows.
const HIGHEST: f64 = 709.0;
/// `1.5 * 2^52`: adding it rounds to an integer that then sits in the low bits.
const SHIFT: f64 = 6_755_399_441_055_744.0;
/// `ln 2` in two parts; multiples of the first by small integers are exact.
const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN_2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
/// `exp(r) ~ 1 + 2r / (R(r) - r)`, `R(r) = 2 + r^2 (P0 + P1 r^2 + ...)`, for `|r| <= ln 2 / 2`.
const EXP: [u64; 5] = [
    0x3fc5_5555_5555_553e,
    0xbf66_c16c_16be_bd93,
    0x3f11_566a_af25_de2c,
    0xbebb_bd41_c5d2_6bf1,
    0x3e66_3769_72be_a4d0,
];
/// `log(1 + f) ~ f - f^2/2 + s (f^2/2 + s^2 (L0 + L1 s^2 + ...))`, `s = f / (2 + f)`, for
/// `sqrt(1/2) <= 1 + f <= sqrt(2)`.
const LOG: [u64; 7] = [
    0x3fe5_5555_5555_5593,
    0x3fd9_9999_9997_fa04,
    0x3fd2_4924_9422_9359,
    0x3fcc_71c5_1d8e_78af,
    0x3fc7_4664_96cb_03de,
    0x3fc3_9a09_d078_c69f,
    0x3fc2_f112_df3e_5244,
];

/// `exp(x)` for `x <= 0`; zero below -708.
#[inline(always)]
#[must_use]
pub fn exp_nonpositive(x: f64) -> f64 {
    let clamped = if x < LOWEST { LOWEST } else { x };
    if x < LOWEST { 0.0 } else { exp_in_range(clamped) }
}

/// `exp(x)`; zero below -708, infinite above 709.
#[inline(always)]
#[must_use]
pub(crate) fn exp(x: f64) -> f64 {
    let capped = if x > HIGHEST { HIGHEST } else { x };
    let clamped = if capped < LOWEST { LOWEST } else { capped };
    let power = if x < LOWEST { 0.0 } else { exp_in_range(clamped) };
    if x > HIGHEST { f64::INFINITY } else { power }
}

/// `exp(x)` for `-708 <= x <= 709`.
#[inline(always)]
fn exp_in_range(x: f64) -> f64 {
    let shifted = x * std::f64::consts::LOG2_E + SHIFT;
    let power = shifted - SHIFT;
    let high = x - power * LN_2_HIGH;
    let low = power * LN_2_LOW;
    let r = high - low;
    let t = r * r;
    let c = r - t * polynomial(t, EXP);
    let fraction = 1.0 - ((low - r * c / (2.0 - c)) - high);
    // 2^power, assembled from the integer that the shift left in the low bits.
    let scale = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    fraction * scale
}

/// `log(1 + x)` for `0 <= x <= 1`.
#[inline(always)]
#[must_use]
pub fn log1p_unit(x: f64) -> f64 {
    // Above sqrt(2) - 1 take out a factor of two.
    let halved = x > std::f64::consts::SQRT_2 - 1.0;
    let f = if halved { 0.5 * (x - 1.0) } else { x };
    let (high, low) = if halved { (LN_2_HIGH, LN_2_LOW) } else { (0.0, 0.0) };
    let s = f / (2.0 + f);
    let z = s * s;
    let half = 0.5 * f * f;
    high - ((half - (s * (half + z * polynomial(z, LOG)) + low)) - f)
}

#[inline(always)]
fn polynomial<const N: usize>(x: f64, coefficients: [u64; N]) -> f64 {
    let mut value = 0.0;
    for k in (0..N).rev() {
        value = value * x + f64::from_bits(coefficients[k]);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(found: f64, expected: f64, at: f64) {
        let error = (found - expected).abs() / expected;
        assert!(error <= 4.0 * f64::EPSILON, "at {at}: {found} != {expected}, off by {error}");
    }

    #[test]
    fn exp_agrees_with_the_standard_library() {
        for k in 0..200_000 {
            let x = -708.0 * (f64::from(k) / 200_000.0).powi(3);
            assert_close(exp_nonpositive(x), x.exp(), x);
        }
        assert_eq!(exp_nonpositive(0.0).to_bits(), 1.0_f64.to_bits());
        for x in [-709.0, -1e6, -1e300, f64::NEG_INFINITY] {
            assert_eq!(exp_nonpositive(x).to_bits(), 0, "at {x}");
        }
    }

    #[test]
    fn exp_of_any_number_agrees_with_the_standard_library() {
        for k in -100_000..=100_000 {
            let x = 708.0 * (f64::from(k) / 100_000.0).powi(3);
            assert_close(exp(x), x.exp(), x);
        }
        assert_close(exp(709.0), 709_f64.exp(), 709.0);
        assert!(exp(709.5).is_infinite() && exp(f64::INFINITY).is_infinite());
        assert!(exp(f64::NAN).is_nan());
        assert_eq!(exp(-1e300).to_bits(), 0);
    }

    #[test]
    fn log1p_agrees_with_the_standard_library() {
        for k in 1..=200_000 {
            let x = f64::from(k) / 200_000.0;
            assert_close(log1p_unit(x), x.ln_1p(), x);
            let x = 10_f64.powf(-300.0 * x);
            assert_close(log1p_unit(x), x.ln_1p(), x);
        }
        assert_eq!(log1p_unit(0.0).to_bits(), 0);
    }
}
