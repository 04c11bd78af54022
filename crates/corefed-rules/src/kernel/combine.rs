//! Weighted sums of updates.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::BLOCK;
use crate::Scalar;

/// Updates added per visit of the sum, so that it is loaded and stored once for all of them.
const AT_ONCE: usize = 4;

/// `acc += coefficient * delta`, for updates that arrive one by one.
///
/// Folding updates in some order into zeros gives the same bits as [`combine`] over them in that
/// order.
///
/// ```
/// let mut acc = [1.0_f32, 2.0];
/// corefed_rules::fold(&mut acc, 0.5, &[4.0, -4.0]);
/// assert_eq!(acc, [3.0, 0.0]);
/// ```
///
/// # Panics
///
/// If lengths differ.
pub fn fold<T: Scalar>(acc: &mut [T], coefficient: f64, delta: &[T]) {
    assert_eq!(acc.len(), delta.len(), "updates and sum have the same length");
    let terms = [(coefficient, delta)];
    acc.par_chunks_mut(BLOCK).enumerate().for_each(|(block, acc)| {
        add_terms(acc, &terms, block * BLOCK);
    });
}

/// `out = sum_s coefficient_s * delta_s`, for updates that are all there.
///
/// One pass: every update is read once, `out` is written once, and nothing else is allocated. Sums
/// are taken in the type of the parameters, in the order of `terms`: with `m` updates the error of
/// an entry is at most `m + 1` roundings of the sum of the terms' sizes.
///
/// ```
/// let mut out = [0.0_f64; 2];
/// corefed_rules::combine(&mut out, &[(0.5, &[4.0, 2.0]), (2.0, &[1.0, -1.0])]);
/// assert_eq!(out, [4.0, -1.0]);
/// ```
///
/// # Panics
///
/// If lengths differ.
pub fn combine<T: Scalar>(out: &mut [T], terms: &[(f64, &[T])]) {
    let same = terms.iter().all(|(_, delta)| delta.len() == out.len());
    assert!(same, "updates and sum have the same length");
    out.par_chunks_mut(BLOCK).enumerate().for_each(|(block, out)| {
        out.fill(T::ZERO);
        add_terms(out, terms, block * BLOCK);
    });
}

/// Adds the entries `start..` of all terms to a block of the sum.
pub(crate) fn add_terms<T: Scalar>(sum: &mut [T], terms: &[(f64, &[T])], start: usize) {
    Arch::new().dispatch(AddTerms { sum, terms, start });
}

struct AddTerms<'a, 'b, T> {
    sum: &'a mut [T],
    terms: &'a [(f64, &'b [T])],
    start: usize,
}

impl<T: Scalar> WithSimd for AddTerms<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { sum, terms, start } = self;
        let (groups, rest) = terms.as_chunks::<AT_ONCE>();
        for group in groups {
            add_group(sum, group, start);
        }
        for term in rest {
            add_group(sum, &[*term], start);
        }
    }
}

/// `sum = (((sum + c_1 d_1) + c_2 d_2) + ...)`, entry by entry: the order of single additions.
#[inline(always)]
fn add_group<T: Scalar, const N: usize>(sum: &mut [T], terms: &[(f64, &[T]); N], start: usize) {
    let count = sum.len();
    let coefficients = terms.map(|(coefficient, _)| T::from_f64(coefficient));
    let deltas = terms.map(|(_, delta)| &delta[start..start + count]);
    for i in 0..count {
        let mut entry = sum[i];
        for n in 0..N {
            entry = entry + coefficients[n] * deltas[n][i];
        }
        sum[i] = entry;
    }
}
