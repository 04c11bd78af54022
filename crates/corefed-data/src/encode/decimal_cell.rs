//! Reading short decimals without the general machinery.

use crate::reading::Reading;

/// Powers of ten that `f64` represents exactly, as far as they are needed.
const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
/// Digits of a whole number that is certainly below 2^53.
const DIGITS: usize = 15;

/// [`Reading::of`], faster for the cells that most columns consist of.
pub(in crate::encode) fn read_number(cell: &str) -> Reading {
    short_decimal(cell.as_bytes()).map_or_else(|| Reading::of(cell), Reading::Finite)
}

/// The value of `-?[0-9]*.?[0-9]*` with 1 to 15 digits.
///
/// Digits and power of ten are exact, so that their one division rounds as the decimal itself
/// does (Clinger 1990): the result has the bits of the standard library's.
fn short_decimal(cell: &[u8]) -> Option<f64> {
    let (negative, digits) = match cell {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, cell),
    };
    if digits.len() > DIGITS + 1 {
        return None;
    }
    let (mut value, mut point) = (0_u64, None);
    for (i, &byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            value = 10 * value + u64::from(digit);
        } else if byte == b'.' && point.is_none() {
            point = Some(i);
        } else {
            return None;
        }
    }
    let count = digits.len() - usize::from(point.is_some());
    if count == 0 || count > DIGITS {
        return None;
    }
    let places = point.map_or(0, |point| digits.len() - 1 - point);
    let magnitude = if places == 0 { value as f64 } else { value as f64 / POWERS[places] };
    Some(if negative { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn signs_points_and_zeros_read_as_in_the_standard_library() {
        for cell in ["0", "-0", "5.", ".5", "-.5", "007", "999999999999999", ".000000000000001"] {
            let expected: f64 = cell.parse().unwrap();
            let found = short_decimal(cell.as_bytes()).unwrap();
            assert_eq!(found.to_bits(), expected.to_bits(), "{cell}");
        }
        for cell in ["", "-", ".", "-.", "+1", "1e3", "1.2.3", "--1", "1_0", "9999999999999999"] {
            assert_eq!(short_decimal(cell.as_bytes()), None, "{cell}");
        }
    }

    proptest! {
        #[test]
        fn decimals_round_as_in_the_standard_library(cell in "-?[0-9]{0,9}\\.?[0-9]{0,9}") {
            if let Some(found) = short_decimal(cell.as_bytes()) {
                prop_assert_eq!(found.to_bits(), cell.parse::<f64>().unwrap().to_bits());
            }
            prop_assert_eq!(read_number(&cell), Reading::of(&cell));
        }
    }
}
