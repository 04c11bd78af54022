//! Activations with their slopes, in a form that compilers turn into vector instructions.
//!
//! Values and slopes are within 1e-6 of the exact ones (tested), relative for large numbers. No operation is
//! fused, so every machine computes the same bits.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use std::f32::consts::{FRAC_1_SQRT_2, LOG2_E};

/// `1.5 * 2^23`: adding it rounds to an integer that then sits in the low bits.
const SHIFT: f32 = 12_582_912.0;
/// The first bits of `ln 2`, whose small multiples are exact, and the rest.
const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;

/// `e^x` for `x <= 0`; about zero below -87.
#[inline(always)]
fn exp_nonpositive(x: f32) -> f32 {
    let x = if x < -87.0 { -87.0 } else { x };
    let shifted = x * LOG2_E + SHIFT;
    let power = shifted - SHIFT;
    let r = (x - power * LN_2_HIGH) - power * LN_2_LOW;
    // Taylor's polynomial: the rest is below 1e-8 for |r| <= ln 2 / 2.
    let mut sum = 1.0 / 5040.0;
    for term in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        sum = sum * r + term;
    }
    sum * f32::from_bits(shifted.to_bits().wrapping_add(127) << 23)
}

/// `log(1 + x)` for `0 <= x <= 1`, as `2 artanh(x / (2 + x))`.
#[inline(always)]
fn log1p_unit(x: f32) -> f32 {
    let s = x / (2.0 + x);
    let z = s * s;
    let mut sum = 2.0 / 15.0;
    for odd in [13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        sum = sum * z + 2.0 / odd;
    }
    sum * s
}

/// `x Phi(x)`. The complement of the error function is by Hastings (Abramowitz and Stegun 7.1.26), within 1.5e-7.
#[inline(always)]
pub(crate) fn gelu(x: f32) -> (f32, f32) {
    let size = x.abs() * FRAC_1_SQRT_2;
    let power = exp_nonpositive(-size * size);
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let mut sum = 1.061_405_4;
    for term in [-1.453_152, 1.421_413_8, -0.284_496_74, 0.254_829_6, 0.0] {
        sum = sum * t + term;
    }
    let tail = 0.5 * sum * power;
    let below = if x < 0.0 { tail } else { 1.0 - tail };
    let density = power * 0.398_942_3;
    (x * below, below + x * density)
}

/// `log(1 + e^x)`.
#[inline(always)]
pub(crate) fn softplus(x: f32) -> (f32, f32) {
    let power = exp_nonpositive(-x.abs());
    let share = 1.0 / (1.0 + power);
    let positive = if x < 0.0 { 0.0 } else { x };
    (positive + log1p_unit(power), if x < 0.0 { power * share } else { share })
}

/// Hyperbolic tangent.
#[inline(always)]
pub(crate) fn tanh(x: f32) -> (f32, f32) {
    let power = exp_nonpositive(-2.0 * x.abs());
    let size = (1.0 - power) / (1.0 + power);
    (size.copysign(x), 4.0 * power / ((1.0 + power) * (1.0 + power)))
}

/// `max(x, 0)`, but what is not a number stays so.
#[inline(always)]
pub(crate) fn relu(x: f32) -> (f32, f32) {
    (if x < 0.0 { 0.0 } else { x }, if x <= 0.0 { 0.0 } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Activation;

    #[test]
    fn activations_are_within_a_millionth() {
        for (activation, function) in [
            (Activation::Gelu, gelu as fn(f32) -> (f32, f32)),
            (Activation::Softplus, softplus),
            (Activation::Tanh, tanh),
            (Activation::Relu, relu),
        ] {
            for k in -400_000..=400_000 {
                let x = k as f32 * 1e-4;
                let (value, slope) = function(x);
                let [exact, exact_slope, _] = activation.jet(f64::from(x));
                let error = (f64::from(value) - exact).abs() / exact.abs().max(1.0);
                assert!(error < 1e-6, "{activation} at {x}: {value} {exact}");
                let error = (f64::from(slope) - exact_slope).abs();
                assert!(error < 1e-6, "slope of {activation} at {x}: {slope} {exact_slope}");
            }
            for x in [-1e30, 1e30] {
                let (value, slope) = function(x);
                assert!(value.is_finite() && slope.is_finite(), "{activation} at {x}");
            }
            assert!(function(f32::NAN).0.is_nan(), "{activation}");
        }
    }

    #[test]
    fn exponentials_and_logarithms_agree_with_the_standard_library() {
        for k in 0..=100_000 {
            let share = k as f32 / 100_000.0;
            let (x, exact) = (-87.0 * share, (-87.0 * f64::from(share)).exp());
            assert!((f64::from(exp_nonpositive(x)) / exact - 1.0).abs() < 1e-5, "{x}");
            let exact = f64::from(share).ln_1p();
            assert!((f64::from(log1p_unit(share)) - exact).abs() <= 3e-7 * exact, "{share}");
        }
    }
}
