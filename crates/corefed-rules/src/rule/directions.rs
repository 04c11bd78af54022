//! Updates without their lengths, for rules that look at inner products.

use super::Products;

/// The updates that have a direction.
pub(crate) struct Directions {
    /// Their positions in the cohort.
    pub(crate) moving: Vec<usize>,
    /// Lengths of all updates as they came.
    lengths: Vec<f64>,
    /// Cosines between those that move, row-major, with ones on the diagonal.
    pub(crate) cosines: Vec<f64>,
}

impl Directions {
    /// An update that is zero, or shorter than the rounding of the longest, has no direction: its
    /// agent is left out instead of forcing the whole step to zero.
    pub(crate) fn of(products: &Products<'_>) -> Self {
        let (gram, count) = (products.gram, products.norms.len());
        let lengths: Vec<f64> = (0..count).map(|s| gram[s * count + s].sqrt()).collect();
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        let moving: Vec<usize> =
            (0..count).filter(|&s| lengths[s] > f64::EPSILON * longest).collect();
        let cosine = |r: usize, s: usize| {
            if r == s { 1.0 } else { gram[r * count + s] / lengths[r] / lengths[s] }
        };
        let cosines =
            moving.iter().flat_map(|&r| moving.iter().map(move |&s| cosine(r, s))).collect();
        Self { moving, lengths, cosines }
    }

    /// The mean length of updates as they count, that is clipped, by their pulls. Normalising throws
    /// lengths away; this one gives a cohort that agrees on a direction FedAvg's step.
    pub(crate) fn mean_length(&self, products: &Products<'_>) -> f64 {
        let total: f64 = self.moving.iter().map(|&s| products.pulls[s]).sum();
        let sum: f64 = self.moving.iter().map(|&s| products.pulls[s] * products.norms[s]).sum();
        if self.moving.is_empty() { 0.0 } else { sum / total }
    }

    /// Coefficients of the updates in `length sum_s weight_s D_s/|D_s|`; those without a direction have
    /// none.
    pub(crate) fn coefficients(&self, length: f64, weights: &[f64]) -> Vec<f64> {
        let mut coefficients = vec![0.0; self.lengths.len()];
        for (&s, weight) in self.moving.iter().zip(weights) {
            coefficients[s] = length * weight / self.lengths[s];
        }
        coefficients
    }
}
