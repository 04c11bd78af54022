//! Where a bound is taken: parameters, perhaps with a correction.

use crate::enclosed::Enclosed;
use crate::sum::Sum;

/// The exact sum of parameters and a correction that is smaller than their spacing.
///
/// Parameters of 1e9 cannot be closer than 1e-7 to an optimum, and a tangent that is off by that much is
/// worth nothing over a ball of 1e10: its slope is multiplied by the radius.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    point: &'a [f64],
    /// As long as the point, or empty where there is none.
    correction: &'a [f64],
}

impl<'a> From<&'a [f64]> for Place<'a> {
    fn from(point: &'a [f64]) -> Self {
        Self { point, correction: &[] }
    }
}

impl<'a> Place<'a> {
    /// Lists of equal length.
    pub(crate) fn corrected(point: &'a [f64], correction: Option<&'a [f64]>) -> Self {
        Self { point, correction: correction.unwrap_or_default() }
    }

    pub(crate) fn len(self) -> usize {
        self.point.len()
    }

    /// What adds up to the place.
    pub(crate) fn parts(self) -> impl Iterator<Item = &'a [f64]> {
        [self.point, self.correction].into_iter().filter(|part| !part.is_empty())
    }

    /// Parameters of one class after the other.
    pub(crate) fn blocks(self, dim: usize) -> impl Iterator<Item = Self> {
        self.point.chunks_exact(dim).enumerate().map(move |(k, point)| {
            let correction = self.correction.get(k * dim..(k + 1) * dim).unwrap_or_default();
            Self { point, correction }
        })
    }

    /// `|y|^2`.
    pub(crate) fn square(self) -> Enclosed {
        let mut total = Sum::default();
        for x in self.point {
            total.add_product(*x, *x);
        }
        for (x, c) in self.point.iter().zip(self.correction) {
            total.add_product(2.0 * x, *c);
            total.add_product(*c, *c);
        }
        total.total()
    }

    /// `<slope, y>`.
    pub(crate) fn dot(self, slope: &[Enclosed]) -> Enclosed {
        let mut total = Sum::default();
        for part in self.parts() {
            for (g, x) in slope.iter().zip(part) {
                total.add_scaled(*g, *x);
            }
        }
        total.total()
    }
}
