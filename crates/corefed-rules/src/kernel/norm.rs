//! Squared norms of updates.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::Scalar;

/// Numbers per partial sum.
const PART: usize = 1 << 16;
/// Interleaved sums within a part: enough to hide the latency of additions.
const LANES: usize = 32;

/// `|delta|^2`, summed in `f64`; not finite if some entry is not.
///
/// ```
/// assert_eq!(corefed_rules::norm_sqr(&[3.0_f32, 4.0]), 25.0);
/// ```
#[must_use]
pub fn norm_sqr<T: Scalar>(delta: &[T]) -> f64 {
    if delta.len() <= PART {
        return part(delta);
    }
    let parts: Vec<f64> = delta.par_chunks(PART).map(part).collect();
    parts.iter().sum()
}

fn part<T: Scalar>(values: &[T]) -> f64 {
    Arch::new().dispatch(Squares(values))
}

struct Squares<'a, T>(&'a [T]);

impl<T: Scalar> WithSimd for Squares<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let mut lanes = [0.0; LANES];
        let (groups, rest) = self.0.as_chunks::<LANES>();
        for group in groups {
            add_squares(&mut lanes, group);
        }
        // A loop of unknown length over the lanes would keep them out of registers.
        let mut padded = [T::ZERO; LANES];
        padded[..rest.len()].copy_from_slice(rest);
        add_squares(&mut lanes, &padded);
        lanes.iter().sum()
    }
}

#[inline(always)]
fn add_squares<T: Scalar>(lanes: &mut [f64; LANES], values: &[T; LANES]) {
    for (lane, value) in lanes.iter_mut().zip(values) {
        let value = value.to_f64();
        *lane += value * value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_of_one_to_n_sum_to_their_closed_form() {
        // sum k^2 = n(n+1)(2n+1)/6; every partial sum is an integer below 2^53, hence exact.
        let n = 100_001_u32;
        let values: Vec<f64> = (1..=n).map(f64::from).collect();
        let n = f64::from(n);
        assert_eq!(norm_sqr(&values), n * (n + 1.0) * (2.0 * n + 1.0) / 6.0);
    }

    #[test]
    fn single_precision_is_squared_in_double() {
        // 1e30^2 overflows f32.
        let value = f64::from(1e30_f32);
        assert_eq!(norm_sqr(&[1e30_f32; 3]), 3.0 * (value * value));
        assert_eq!(norm_sqr::<f32>(&[]), 0.0);
    }

    #[test]
    fn one_bad_entry_anywhere_shows() {
        for bad in [f32::NAN, f32::INFINITY] {
            for at in [0, 77, 99_999] {
                let mut values = vec![1.0_f32; 100_000];
                values[at] = bad;
                assert!(!norm_sqr(&values).is_finite(), "{bad} at {at}");
            }
        }
    }
}
