//! Samples of something bounded: all that the intervals know.

use thiserror::Error;

/// Independent draws that lie in a known range, in an order that does not depend on their values.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    lo: f64,
    hi: f64,
    /// The draws moved to `0..=1`.
    unit: Vec<f64>,
}

/// Why there is no interval.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum SampleError {
    /// The mean of something unbounded can be anything, however many samples are seen.
    #[error(
        "nothing bounds the samples, so no number of them bounds their mean; use a bounded loss, \
         or choose truncated utility, which is"
    )]
    NotBounded,
    /// The range is empty or reversed.
    #[error("the range `{lo}..={hi}` holds no two numbers")]
    EmptyRange {
        /// Its lower end.
        lo: f64,
        /// Its upper end.
        hi: f64,
    },
    /// There is nothing to say without samples.
    #[error("there are no samples; an interval needs at least one")]
    Empty,
    /// A sample contradicts the range.
    #[error("sample {index} is `{value}`, outside `{lo}..={hi}`; the range must hold every sample")]
    OutOfRange {
        /// Its position, from zero.
        index: usize,
        /// Its value.
        value: f64,
        /// Lower end of the range.
        lo: f64,
        /// Upper end of the range.
        hi: f64,
    },
}

impl Samples {
    /// Checks that every value lies in `lo..=hi`.
    ///
    /// The range must be known beforehand: one read off the samples proves nothing.
    pub fn new(values: &[f64], lo: f64, hi: f64) -> Result<Self, SampleError> {
        let range = hi - lo;
        if range.is_nan() || range.is_infinite() {
            return Err(SampleError::NotBounded);
        }
        if range <= 0.0 {
            return Err(SampleError::EmptyRange { lo, hi });
        }
        if values.is_empty() {
            return Err(SampleError::Empty);
        }
        let unit = |(index, &value): (usize, &f64)| {
            if value >= lo && value <= hi {
                Ok((value - lo) / range)
            } else {
                Err(SampleError::OutOfRange { index, value, lo, hi })
            }
        };
        Ok(Self { lo, hi, unit: values.iter().enumerate().map(unit).collect::<Result<_, _>>()? })
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.unit.len()
    }

    /// Their average.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.from_unit(mean(&self.unit))
    }

    pub(crate) fn range(&self) -> (f64, f64) {
        (self.lo, self.hi)
    }

    /// The samples on the scale `0..=1`.
    pub(crate) fn unit(&self) -> &[f64] {
        &self.unit
    }

    /// The samples on the scale `0..=1`, turned round: a lower bound here is an upper bound there.
    pub(crate) fn turned(&self) -> Vec<f64> {
        self.unit.iter().map(|x| 1.0 - x).collect()
    }

    /// A number on the scale `0..=1`, back on the scale of the samples.
    #[expect(clippy::wrong_self_convention, reason = "it converts a number, not the samples")]
    pub(crate) fn from_unit(&self, value: f64) -> f64 {
        self.lo + value * (self.hi - self.lo)
    }

    /// A number on the scale of the samples, on the scale `0..=1`.
    pub(crate) fn to_unit(&self, value: f64) -> f64 {
        (value - self.lo) / (self.hi - self.lo)
    }
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_outside_the_range_is_named() {
        for bad in [1.5, -0.1, f64::NAN, f64::INFINITY] {
            let refused = Samples::new(&[0.2, bad, 9.0], 0.0, 1.0).unwrap_err();
            assert!(matches!(refused, SampleError::OutOfRange { index: 1, .. }), "{refused}");
        }
    }

    #[test]
    fn without_a_bound_there_is_no_interval() {
        for (lo, hi) in [(0.0, f64::INFINITY), (f64::NEG_INFINITY, 0.0), (0.0, f64::NAN)] {
            assert_eq!(Samples::new(&[0.5], lo, hi), Err(SampleError::NotBounded));
        }
        let backwards = Samples::new(&[0.5], 1.0, 0.0);
        assert_eq!(backwards, Err(SampleError::EmptyRange { lo: 1.0, hi: 0.0 }));
        assert_eq!(Samples::new(&[], 0.0, 1.0), Err(SampleError::Empty));
    }

    #[test]
    fn the_mean_is_in_the_unit_of_the_samples() {
        let samples = Samples::new(&[-1.0, 3.0, 1.0, 5.0], -1.0, 5.0).unwrap();
        assert!((samples.mean() - 2.0).abs() < 1e-15);
        assert_eq!(samples.count(), 4);
    }
}
