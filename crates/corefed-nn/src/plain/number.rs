//! What the plain loops compute with.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// A number, perhaps with a derivative that follows it.
pub(crate) trait Number:
    Copy
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// A constant.
    fn of(value: f64) -> Self;

    /// Without its derivative.
    fn value(self) -> f64;

    /// A function of this number, given by its value and slope there.
    fn map(self, value: f64, slope: f64) -> Self;

    fn exp(self) -> Self {
        let value = self.value().exp();
        self.map(value, value)
    }

    fn ln(self) -> Self {
        self.map(self.value().ln(), 1.0 / self.value())
    }
}

impl Number for f64 {
    fn of(value: f64) -> Self {
        value
    }

    fn value(self) -> f64 {
        self
    }

    fn map(self, value: f64, _slope: f64) -> Self {
        value
    }
}

/// A number and its derivative along one direction. A gradient computed with these carries the
/// product of the Hessian with the direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dual {
    pub(crate) value: f64,
    pub(crate) slope: f64,
}

impl Number for Dual {
    fn of(value: f64) -> Self {
        Self { value, slope: 0.0 }
    }

    fn value(self) -> f64 {
        self.value
    }

    fn map(self, value: f64, slope: f64) -> Self {
        Self { value, slope: slope * self.slope }
    }
}

impl Add for Dual {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, slope: self.slope + other.slope }
    }
}

impl AddAssign for Dual {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Neg for Dual {
    type Output = Self;

    fn neg(self) -> Self {
        Self { value: -self.value, slope: -self.slope }
    }
}

impl Sub for Dual {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Dual {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let slope = self.slope * other.value + self.value * other.slope;
        Self { value: self.value * other.value, slope }
    }
}

impl Div for Dual {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Self { value, slope: (self.slope - value * other.slope) / other.value }
    }
}
