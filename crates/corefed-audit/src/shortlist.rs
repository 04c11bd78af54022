//! Which rows of a table deserve exact arithmetic.

use corefed_core::scan;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use rayon::prelude::*;

/// Rows whose factors come this close, relatively, to the largest are scanned exactly. Floating point
/// is off by far less: by a few roundings per gain and one per agent in sums of weights.
const CLOSE: f64 = 1e-6;
/// With a heavier agent than this, as a share of all, the weight of the others has too few digits.
const HEAVIEST: f64 = 0.999;

/// Rows, ascending, among which are all that reach the largest `kappa` or the largest factor for
/// everybody. Only those can block or improve: any that does reaches at least one, and beyond one
/// the largest does so itself.
pub(crate) fn shortlist(
    utilities: &[Vec<BigRational>],
    incumbent: usize,
    weights: &[BigRational],
) -> Vec<usize> {
    let rivals: Vec<usize> = (0..utilities.len()).filter(|row| *row != incumbent).collect();
    let Some(weights) = floats(weights).filter(|weights| balanced(weights)) else {
        return rivals;
    };
    let Some(now) = floats(&utilities[incumbent]) else { return rivals };
    let total: f64 = weights.iter().sum();
    let looked: Vec<(usize, Option<(f64, f64)>)> = rivals
        .into_par_iter()
        .map(|row| {
            let factors = floats(&utilities[row]).map(|then| {
                let found = scan(&now, &then, &weights, &total);
                (found.kappa.value(), found.everybody.value())
            });
            (row, factors)
        })
        .collect();
    let known = || looked.iter().filter_map(|(_, factors)| *factors);
    let kappa = known().map(|factors| factors.0).fold(0.0, f64::max);
    let everybody = known().map(|factors| factors.1).fold(0.0, f64::max);
    // A largest factor of zero needs no row that reaches it.
    let near = |factor: f64, largest: f64| largest > 0.0 && factor >= largest * (1.0 - CLOSE);
    let close = |factors: &Option<(f64, f64)>| {
        factors.is_none_or(|(k, e)| near(k, kappa) || near(e, everybody))
    };
    looked.iter().filter(|(_, factors)| close(factors)).map(|(row, _)| *row).collect()
}

/// Floating-point numbers next to these, if they are all ordinary ones.
fn floats(values: &[BigRational]) -> Option<Vec<f64>> {
    values
        .iter()
        .map(|value| {
            let float = value.numer().to_f64()? / value.denom().to_f64()?;
            (float.is_normal() && float.abs() < 1e100 && float.abs() > 1e-100 || value.is_zero())
                .then_some(float)
        })
        .collect()
}

fn balanced(weights: &[f64]) -> bool {
    let heaviest = weights.iter().copied().fold(0.0, f64::max);
    heaviest <= HEAVIEST * weights.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[i64]) -> Vec<BigRational> {
        values.iter().map(|v| BigRational::from_integer((*v).into())).collect()
    }

    #[test]
    fn rows_that_are_nobodys_best_are_passed_over() {
        let table = [row(&[10, 10]), row(&[30, 1]), row(&[11, 12]), row(&[5, 5]), row(&[30, 1])];
        assert_eq!(shortlist(&table, 0, &row(&[1, 1])), [1, 2, 4]);
        // Nothing is passed over where floating point would not do.
        assert_eq!(shortlist(&table, 0, &row(&[1, 10_000])), [1, 2, 3, 4]);
    }
}
