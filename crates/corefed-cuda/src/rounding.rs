//! Numbers as tensor cores take them.

/// Nearest with ten bits after the point, ties away from zero; what is no number stays so.
pub(crate) fn tf32(x: f32) -> f32 {
    if x.is_finite() { f32::from_bits((x.to_bits() + 0x1000) & !0x1fff) } else { x }
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
}
