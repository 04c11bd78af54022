//! Numbers as tensor cores take them.

/// Nearest with ten bits after the point, ties away from zero; what is not a number stays so.
pub(crate) fn tf32(x: f32) -> f32 {
    if x.is_finite() { f32::from_bits((x.to_bits() + 0x1000) & !0x1fff) } else { x }
}

/// The upper half of the nearest float that has no more, the even one of two; what is not a number stays so.
pub(crate) fn bf16(x: f32) -> u16 {
    let bits = x.to_bits();
    let rounded = if x.is_nan() { bits | 0x40_0000 } else { bits + 0x7fff + (bits >> 16 & 1) };
    u16::try_from(rounded >> 16).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eleven_bits_are_kept_and_the_rest_is_rounded() {
        let step = 2.0_f32.powi(-10);
        assert_eq!(tf32(1.0 + step), 1.0 + step);
        assert_eq!(tf32(1.0 + 0.49 * step), 1.0);
        assert_eq!(tf32(-1.0 - 0.5 * step), -1.0 - step);
        assert_eq!(tf32(2.0 - f32::EPSILON), 2.0);
        assert_eq!(tf32(f32::NEG_INFINITY), f32::NEG_INFINITY);
        assert!(tf32(f32::NAN).is_nan());
    }

    #[test]
    fn halves_are_the_nearest_and_the_even_of_two() {
        let value = |x: f32| f32::from_bits(u32::from(bf16(x)) << 16);
        let step = 2.0_f32.powi(-7);
        assert_eq!(value(1.0 + step), 1.0 + step);
        assert_eq!(value(1.0 + 0.5 * step), 1.0);
        assert_eq!(value(-1.0 - 1.5 * step), -1.0 - 2.0 * step);
        assert_eq!(value(1.0 + 0.51 * step), 1.0 + step);
        assert_eq!(value(2.0 - f32::EPSILON), 2.0);
        assert_eq!(value(f32::MAX), f32::INFINITY);
        assert_eq!(value(f32::NEG_INFINITY), f32::NEG_INFINITY);
        assert!(value(f32::NAN).is_nan() && value(f32::from_bits(0x7f80_0001)).is_nan());
    }
}
