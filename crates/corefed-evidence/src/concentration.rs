//! Hoeffding's and the empirical Bernstein bound: how far a mean may lie below its average.

use crate::samples::mean;

/// `mean - sqrt(ln(1/d) / (2m))` for samples in `0..=1` (ledger E40).
pub(crate) fn hoeffding(unit: &[f64], miss: f64) -> f64 {
    mean(unit) - (-miss.ln() / (2.0 * unit.len() as f64)).sqrt()
}

/// `mean - sqrt(2 V ln(2/d) / m) - 7 ln(2/d) / (3 (m-1))` with the unbiased variance `V` (ledger
/// E40): Theorem 4 of Maurer and Pontil 2009 (arXiv 0907.3740).
///
/// One sample has no variance, and then there is no bound either.
pub(crate) fn empirical_bernstein(unit: &[f64], miss: f64) -> f64 {
    let m = unit.len() as f64;
    if unit.len() < 2 {
        return f64::NEG_INFINITY;
    }
    let centre = mean(unit);
    let variance = unit.iter().map(|x| (x - centre).powi(2)).sum::<f64>() / (m - 1.0);
    let log = (2.0 / miss).ln();
    centre - (2.0 * variance * log / m).sqrt() - 7.0 * log / (3.0 * (m - 1.0))
}

/// The better of both, each at half the misses: both hold at once with the whole.
pub(crate) fn better(unit: &[f64], miss: f64) -> f64 {
    hoeffding(unit, miss / 2.0).max(empirical_bernstein(unit, miss / 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hoeffding_by_hand() {
        // d = e^-2, m = 4: sqrt(2 / 8) = 1/2.
        let bound = hoeffding(&[1.0, 0.5, 0.75, 0.75], (-2.0_f64).exp());
        assert!((bound - 0.25).abs() < 1e-15, "{bound}");
    }

    #[test]
    fn empirical_bernstein_by_hand() {
        // d = 2 e^-3, m = 8, half zeros and half ones: V = 2/7, and
        // 1/2 - sqrt(2 * 2/7 * 3 / 8) - 7 * 3 / (3 * 7) = -1/2 - sqrt(3/14).
        let bound = empirical_bernstein(&[0., 1., 0., 1., 0., 1., 0., 1.], 2.0 * (-3.0_f64).exp());
        assert!((bound - (-0.5 - (3.0_f64 / 14.0).sqrt())).abs() < 1e-14, "{bound}");
    }

    #[test]
    fn without_variance_the_better_one_is_bernsteins() {
        let unit = [0.5; 1000];
        assert_eq!(better(&unit, 0.1), empirical_bernstein(&unit, 0.05));
        assert_eq!(better(&[0.5], 0.1), hoeffding(&[0.5], 0.05), "one sample has no variance");
    }
}
