//! Numbers with a proven error: `value ± error` contains the exact one.

use std::ops::{Add, Mul, Neg, Sub};

use crate::eft::{UNIT, add_up, mul_up, two_product, two_sum};

/// An exact real number that is known to lie within `error` of `value`.
///
/// Operations that do not round keep the error at zero, so that ties and exact zeros are decided. When
/// something overflows, the number is unknown: it lies anywhere, and proves nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Enclosed {
    value: f64,
    error: f64,
}

impl Enclosed {
    pub(crate) const ZERO: Self = Self { value: 0.0, error: 0.0 };
    /// Anywhere.
    pub(crate) const UNKNOWN: Self = Self { value: 0.0, error: f64::INFINITY };

    /// A double as it is.
    pub(crate) fn exact(value: f64) -> Self {
        Self::new(value, 0.0)
    }

    /// `value ± error`; unknown unless both are finite.
    pub(crate) fn new(value: f64, error: f64) -> Self {
        if value.is_finite() && error.is_finite() { Self { value, error } } else { Self::UNKNOWN }
    }

    /// The middle, for reports.
    pub(crate) fn value(self) -> f64 {
        self.value
    }

    pub(crate) fn error(self) -> f64 {
        self.error
    }

    /// Not above the exact number.
    pub(crate) fn lo(self) -> f64 {
        match two_sum(self.value, -self.error) {
            _ if self.error.is_infinite() => f64::NEG_INFINITY,
            (sum, lost) if lost < 0.0 => sum.next_down(),
            (sum, _) => sum,
        }
    }

    /// Not below the exact number.
    pub(crate) fn hi(self) -> f64 {
        match two_sum(self.value, self.error) {
            _ if self.error.is_infinite() => f64::INFINITY,
            (sum, lost) if lost > 0.0 => sum.next_up(),
            (sum, _) => sum,
        }
    }

    /// Widened by a further error.
    pub(crate) fn widened(self, by: f64) -> Self {
        Self::new(self.value, add_up(self.error, by))
    }

    /// At least the absolute value.
    pub(crate) fn magnitude(self) -> f64 {
        add_up(self.value.abs(), self.error)
    }

    pub(crate) fn square(self) -> Self {
        self * self
    }

    /// The root of a number that is known not to be negative.
    pub(crate) fn sqrt(self) -> Self {
        let value = self.value.max(0.0);
        let root = value.sqrt();
        let (square, lost, _) = two_product(root, root);
        let rounding =
            if square == value && lost == 0.0 { 0.0 } else { mul_up(root, f64::EPSILON) };
        if self.error == 0.0 {
            return Self::new(root, rounding);
        }
        // |sqrt(a) - sqrt(b)| is at most both |a - b| / sqrt(a) and sqrt(|a - b|).
        let shift = add_up(self.error, value - self.value);
        let near = if root > 0.0 { (shift / root).next_up().next_up() } else { f64::INFINITY };
        Self::new(root, add_up(rounding, near.min(shift.sqrt().next_up())))
    }

    /// `self / other`; unknown if `other` may be zero.
    pub(crate) fn over(self, other: Self) -> Self {
        let smallest = other.value.abs() - other.error;
        if !(smallest > 0.0 && self.error.is_finite()) {
            return Self::UNKNOWN;
        }
        let quotient = self.value / other.value;
        let (product, lost, off) = two_product(quotient, other.value);
        let rounding = if product == self.value && lost == 0.0 && off == 0.0 {
            0.0
        } else {
            add_up(mul_up(quotient.abs(), UNIT), f64::from_bits(1))
        };
        if self.error == 0.0 && other.error == 0.0 {
            return Self::new(quotient, rounding);
        }
        // |a'/b' - a/b| <= (|a' - a| + |a/b| |b' - b|) / |b'|.
        let size = add_up(quotient.abs(), rounding);
        let moved = add_up(self.error, mul_up(size, other.error));
        let spread = (moved / smallest.next_down()).next_up();
        Self::new(quotient, add_up(rounding, spread))
    }
}

impl Add for Enclosed {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (sum, lost) = two_sum(self.value, other.value);
        Self::new(sum, add_up(add_up(self.error, other.error), lost.abs()))
    }
}

impl Neg for Enclosed {
    type Output = Self;

    fn neg(self) -> Self {
        Self { value: -self.value, ..self }
    }
}

impl Sub for Enclosed {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Enclosed {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let (product, lost, off) = two_product(self.value, other.value);
        let mut error = add_up(lost.abs(), off);
        if self.error > 0.0 || other.error > 0.0 {
            let crossed = add_up(
                mul_up(self.value.abs(), other.error),
                mul_up(other.value.abs(), self.error),
            );
            error = add_up(error, add_up(crossed, mul_up(self.error, other.error)));
        }
        Self::new(product, error)
    }
}
