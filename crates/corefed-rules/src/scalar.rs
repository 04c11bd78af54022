//! The number types parameters come in.

use std::fmt::Debug;
use std::ops::{Add, Mul};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A number type of parameters: `f32` for networks, `f64` for convex models.
///
/// Everything the server decides (losses, pulls, norms, scales) is `f64`; only sums of updates are
/// taken in the type of the parameters.
pub trait Scalar:
    Copy
    + Debug
    + PartialEq
    + Send
    + Sync
    + Add<Output = Self>
    + Mul<Output = Self>
    + sealed::Sealed
    + 'static
{
    /// Nothing.
    const ZERO: Self;
    /// The type's name in files and messages: `f32` or `f64`.
    const NAME: &'static str;
    /// The largest finite value.
    const LARGEST: f64;

    /// Exact.
    fn to_f64(self) -> f64;
    /// Rounded to nearest.
    fn from_f64(value: f64) -> Self;
}

impl Scalar for f32 {
    const ZERO: Self = 0.0;
    const NAME: &'static str = "f32";
    const LARGEST: f64 = f32::MAX as f64;

    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    #[expect(clippy::cast_possible_truncation, reason = "rounding is what is asked for")]
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}

impl Scalar for f64 {
    const ZERO: Self = 0.0;
    const NAME: &'static str = "f64";
    const LARGEST: f64 = f64::MAX;

    fn to_f64(self) -> f64 {
        self
    }

    fn from_f64(value: f64) -> Self {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_survives_the_way_through_f64() {
        for value in [0.1_f32, -3.0e38, 1.0e-45, f32::INFINITY] {
            assert_eq!(f32::from_f64(value.to_f64()), value);
        }
        assert_eq!(f64::from_f64(0.1_f64.to_f64()), 0.1);
        assert_eq!((f32::NAME, f64::NAME), ("f32", "f64"));
    }
}
