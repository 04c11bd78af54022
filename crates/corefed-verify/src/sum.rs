//! Compensated sums, so that the checker rounds less than what it checks.

/// A running sum with Neumaier's correction: the error stays near one rounding, however many terms.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    pub(crate) fn add(&mut self, term: f64) {
        let next = self.sum + term;
        self.lost += if self.sum.abs() >= term.abs() {
            (self.sum - next) + term
        } else {
            (term - next) + self.sum
        };
        self.sum = next;
    }

    /// The total; an overflow stays an infinity and is not hidden by the correction.
    pub(crate) fn value(self) -> f64 {
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

/// Sum of some numbers.
pub(crate) fn sum(terms: impl IntoIterator<Item = f64>) -> f64 {
    let mut total = Sum::default();
    for term in terms {
        total.add(term);
    }
    total.value()
}

/// Inner product.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    sum(a.iter().zip(b).map(|(x, y)| x * y))
}

/// Euclidean length.
pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cancels_is_not_lost() {
        assert_eq!(sum([1.0, 1e100, 1.0, -1e100]), 2.0);
        assert_eq!(sum([f64::MAX, f64::MAX]), f64::INFINITY);
        assert_eq!(norm(&[3.0, 4.0]), 5.0);
    }
}
