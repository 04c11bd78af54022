//! Sums with a proven error, in twice the precision.

use crate::eft::{add_up, mul_up, two_product, two_sum};
use crate::enclosed::Enclosed;

/// A running sum: what rounding loses is kept in a second double, and what that loses is counted.
///
/// The error is about the square of a rounding, relative to the terms, however many there are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    high: f64,
    low: f64,
    error: f64,
}

impl Sum {
    /// Adds a double.
    #[inline]
    pub(crate) fn add(&mut self, term: f64) {
        let (high, lost) = two_sum(self.high, term);
        let (low, lost) = two_sum(self.low, lost);
        (self.high, self.low) = (high, low);
        if lost != 0.0 {
            self.error = add_up(self.error, lost.abs());
        }
    }

    /// Adds the product of two doubles.
    #[inline]
    pub(crate) fn add_product(&mut self, a: f64, b: f64) {
        let (product, lost, off) = two_product(a, b);
        self.add(product);
        self.add(lost);
        self.error = add_up(self.error, off);
    }

    /// Adds a number that is itself enclosed.
    #[inline]
    pub(crate) fn add_enclosed(&mut self, term: Enclosed) {
        self.add(term.value());
        self.error = add_up(self.error, term.error());
    }

    /// Adds `factor * term`, for an enclosed factor.
    #[inline]
    pub(crate) fn add_scaled(&mut self, factor: Enclosed, term: f64) {
        self.add_product(factor.value(), term);
        if factor.error() > 0.0 {
            self.error = add_up(self.error, mul_up(factor.error(), term.abs()));
        }
    }

    /// Adds `factor * term` for a factor in twice the precision, which it keeps.
    #[inline]
    pub(crate) fn add_multiple(&mut self, factor: Self, term: f64) {
        self.add_product(factor.high, term);
        if factor.low != 0.0 {
            self.add_product(factor.low, term);
        }
        if factor.error > 0.0 {
            self.error = add_up(self.error, mul_up(factor.error, term.abs()));
        }
    }

    /// The sum times a double.
    pub(crate) fn times(self, factor: f64) -> Self {
        let mut product = Self::default();
        product.add_multiple(self, factor);
        product
    }

    /// The sum over a double that is not zero.
    pub(crate) fn over(self, divisor: f64) -> Self {
        // The sum is exactly quotient * divisor + rest, and the rest is a rounding.
        let mut rest = self;
        let mut quotient = Self::default();
        quotient.add(self.high / divisor);
        rest.add_product(-quotient.high, divisor);
        quotient.add_enclosed(rest.total().over(Enclosed::exact(divisor)));
        quotient
    }

    /// The total; unknown if anything overflowed on the way.
    pub(crate) fn total(self) -> Enclosed {
        let (value, lost) = two_sum(self.high, self.low);
        Enclosed::new(value, add_up(self.error, lost.abs()))
    }
}

impl From<Enclosed> for Sum {
    fn from(term: Enclosed) -> Self {
        Self { high: term.value(), low: 0.0, error: term.error() }
    }
}

/// Sum of some doubles.
pub(crate) fn sum(terms: impl IntoIterator<Item = f64>) -> Enclosed {
    let mut total = Sum::default();
    for term in terms {
        total.add(term);
    }
    total.total()
}

/// Inner product of enclosed numbers with doubles.
pub(crate) fn dot_enclosed(a: &[Enclosed], b: &[f64]) -> Enclosed {
    let mut total = Sum::default();
    for (x, y) in a.iter().zip(b) {
        total.add_scaled(*x, *y);
    }
    total.total()
}

/// Euclidean length of a list of enclosed numbers.
pub(crate) fn norm(a: &[Enclosed]) -> Enclosed {
    let mut total = Sum::default();
    for x in a {
        total.add_enclosed(x.square());
    }
    total.total().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_and_quotients_keep_twice_the_precision() {
        // A third of one, three times, is one but for a squared rounding, and the error says so.
        let mut third = Sum::default();
        third.add(1.0);
        let third = third.over(3.0);
        let mut rest = third.times(3.0);
        rest.add(-1.0);
        let rest = rest.total();
        assert!(rest.lo() <= 0.0 && rest.hi() >= 0.0, "{rest:?}");
        assert!(rest.magnitude() < 1e-31, "{rest:?}");
        assert_eq!(third.over(0.0).total(), Enclosed::UNKNOWN);
    }

    #[test]
    fn what_cancels_is_not_lost() {
        assert_eq!(sum([1.0, 1e100, 1.0, -1e100]), Enclosed::exact(2.0));
        assert_eq!(sum([f64::MAX, f64::MAX]), Enclosed::UNKNOWN);
        assert_eq!(norm(&[3.0, 4.0].map(Enclosed::exact)), Enclosed::exact(5.0));
        // 0.1 is not a tenth: ten of them are not one, and the enclosure knows.
        let ten = sum([0.1; 10]);
        assert!(ten.lo() <= 1.0 && ten.hi() > 1.0);
    }
}
