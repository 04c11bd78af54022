//! Decimal text as an exact fraction.
//!
//! `0.1` is one tenth here, not the nearest binary number, so that an audit of a printed table
//! speaks about the numbers that were printed.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use thiserror::Error;

/// Largest exponent, either sign: beyond every `f64`, and far below what would fill memory.
const MAX_EXPONENT: u32 = 400;

/// Most digits: the longest `f64` has 767 significant ones, behind at most 323 zeros.
const MAX_DIGITS: usize = 1200;

/// Why text is not a decimal number that this crate computes with.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecimalError {
    /// Empty, or the `?` of UCI files.
    #[error("the value is missing")]
    Missing,
    /// `nan` or an infinity.
    #[error("the value is not finite")]
    NotFinite,
    /// Not of the form `-1.25e-3`.
    #[error("the value is not a decimal number")]
    NotDecimal,
    /// The exponent would make a number of thousands of digits.
    #[error("the exponent is beyond ±{MAX_EXPONENT}")]
    Exponent,
    /// More digits than any measurement has.
    #[error("the value has {found} digits, more than {MAX_DIGITS}")]
    Digits {
        /// Digits before and after the point.
        found: usize,
    },
}

/// Parses `-1.25e-3` and the like without rounding.
pub(crate) fn parse_decimal(text: &str) -> Result<BigRational, DecimalError> {
    if matches!(text, "" | "?") {
        return Err(DecimalError::Missing);
    }
    // Rust's own grammar, so that a cell is a number here exactly when it is one elsewhere.
    match text.parse::<f64>() {
        Err(_) => return Err(DecimalError::NotDecimal),
        Ok(_) if !text.bytes().any(|b| b.is_ascii_digit()) => return Err(DecimalError::NotFinite),
        Ok(_) => {}
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()),
        None => (text, Some(0)),
    };
    let bound = i64::from(MAX_EXPONENT);
    let Some(exponent) = exponent.filter(|e| (-bound..=bound).contains(e)) else {
        return Err(DecimalError::Exponent);
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let found = mantissa.bytes().filter(u8::is_ascii_digit).count();
    if found > MAX_DIGITS {
        return Err(DecimalError::Digits { found });
    }
    let digits: BigInt =
        format!("{whole}{fraction}").parse().map_err(|_| DecimalError::NotDecimal)?;
    if digits.is_zero() {
        return Ok(BigRational::zero());
    }
    // Both are bounded by the checks above, so the sum is small.
    let shift = exponent - i64::try_from(fraction.len()).map_err(|_| DecimalError::NotDecimal)?;
    let power = u32::try_from(shift.unsigned_abs()).map_err(|_| DecimalError::Exponent)?;
    let scale = BigInt::from(10).pow(power);
    Ok(if shift < 0 {
        BigRational::new(digits, scale)
    } else {
        BigRational::from_integer(digits * scale)
    })
}

#[cfg(test)]
mod tests {
    use num_traits::ToPrimitive;
    use proptest::prelude::*;

    use super::*;

    fn ratio(numerator: i64, denominator: i64) -> BigRational {
        BigRational::new(numerator.into(), denominator.into())
    }

    #[test]
    fn decimals_are_exact() {
        for (text, expected) in [
            ("-1.25e-3", ratio(-1, 800)),
            ("0.1", ratio(1, 10)),
            ("1e-1", ratio(1, 10)),
            (".3", ratio(3, 10)),
            ("+.5", ratio(1, 2)),
            ("7.", ratio(7, 1)),
            ("12E2", ratio(1200, 1)),
            ("1.50e+1", ratio(15, 1)),
            ("-0.0", ratio(0, 1)),
            ("0e400", ratio(0, 1)),
        ] {
            assert_eq!(parse_decimal(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_decimal_says_why() {
        for (text, expected) in [
            ("", DecimalError::Missing),
            ("?", DecimalError::Missing),
            ("NaN", DecimalError::NotFinite),
            ("-inf", DecimalError::NotFinite),
            ("abc", DecimalError::NotDecimal),
            ("1,5", DecimalError::NotDecimal),
            ("1/3", DecimalError::NotDecimal),
            ("0x1", DecimalError::NotDecimal),
            ("1e401", DecimalError::Exponent),
            ("1e-401", DecimalError::Exponent),
            ("1e999999999999999999999", DecimalError::Exponent),
        ] {
            assert_eq!(parse_decimal(text), Err(expected), "{text}");
        }
        let long = parse_decimal(&"1".repeat(5000));
        assert_eq!(long, Err(DecimalError::Digits { found: 5000 }));
        assert!(parse_decimal("1e400").is_ok() && parse_decimal("1e-400").is_ok());
    }

    #[test]
    fn every_finite_float_prints_to_a_decimal_that_parses() {
        for value in [f64::MAX, f64::MIN_POSITIVE, 5e-324, -1.0 / 3.0] {
            for text in [format!("{value}"), format!("{value:e}")] {
                assert_eq!(parse_decimal(&text).unwrap().to_f64(), Some(value), "{text}");
            }
        }
    }

    proptest! {
        /// Against the definition: digits times a power of ten, one multiplication at a time.
        #[test]
        fn parsing_equals_repeated_multiplication(
            digits in 0_u64..1_000_000_000_000,
            places in 0_usize..12,
            exponent in -30_i32..30,
            negative: bool,
        ) {
            let padded = format!("{digits:013}");
            let (whole, fraction) = padded.split_at(13 - places);
            let sign = if negative { "-" } else { "" };
            let text = format!("{sign}{whole}.{fraction}e{exponent}");
            let ten = ratio(10, 1);
            let mut expected = BigRational::from_integer(digits.into());
            for _ in 0..places {
                expected /= &ten;
            }
            for _ in 0..exponent.unsigned_abs() {
                if exponent < 0 { expected /= &ten } else { expected *= &ten }
            }
            if negative { expected = -expected }
            prop_assert_eq!(parse_decimal(&text), Ok(expected));
        }

        #[test]
        fn any_text_parses_or_is_refused(text in "[-+.0-9eEinfa ]{0,12}") {
            let _ = parse_decimal(&text);
        }
    }
}
