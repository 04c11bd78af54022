//! All inner products of a cohort's updates.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::Scalar;

/// Entries of each update that are multiplied before the next ones are read: a hundred updates of
/// them fit a second-level cache.
const COLUMNS: usize = 1024;
/// Ranges of entries that threads may take: fixed, so that bits do not depend on threads, and few,
/// because each has a matrix of its own.
const PARTS: usize = 16;
/// Interleaved sums of one product.
const LANES: usize = 8;
/// Products that share the reading of one update.
const AT_ONCE: usize = 4;

/// `<delta_r, delta_s>` for all pairs, in `f64`, row by row.
///
/// ```
/// let gram = corefed_rules::gram(&[&[1.0_f32, 2.0], &[3.0, -1.0]]);
/// assert_eq!(gram, [5.0, 1.0, 1.0, 10.0]);
/// ```
///
/// # Panics
///
/// If lengths differ.
#[must_use]
pub fn gram<T: Scalar>(updates: &[&[T]]) -> Vec<f64> {
    let count = updates.len();
    let dim = updates.first().map_or(0, |first| first.len());
    assert!(updates.iter().all(|update| update.len() == dim), "updates have the same length");
    let length = dim.div_ceil(PARTS).next_multiple_of(COLUMNS).max(COLUMNS);
    let parts: Vec<Vec<f64>> = (0..dim.div_ceil(length))
        .into_par_iter()
        .map(|part| {
            let range = part * length..((part + 1) * length).min(dim);
            let mut sums = vec![0.0; count * count];
            for start in range.clone().step_by(COLUMNS) {
                let columns = start..(start + COLUMNS).min(range.end);
                let rows: Vec<&[T]> = updates.iter().map(|u| &u[columns.clone()]).collect();
                Arch::new().dispatch(Products { rows: &rows, sums: &mut sums });
            }
            sums
        })
        .collect();
    let mut gram = vec![0.0; count * count];
    for part in &parts {
        gram.iter_mut().zip(part).for_each(|(sum, term)| *sum += term);
    }
    for row in 0..count {
        for col in 0..row {
            gram[col * count + row] = gram[row * count + col];
        }
    }
    gram
}

/// Adds the products of rows to the lower triangle of `sums`.
struct Products<'a, 'b, T> {
    rows: &'a [&'b [T]],
    sums: &'a mut [f64],
}

impl<T: Scalar> WithSimd for Products<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { rows, sums } = self;
        for (row, sums) in rows.iter().zip(sums.chunks_exact_mut(rows.len())).enumerate() {
            let (left, sums) = sums;
            let (groups, rest) = rows[..=row].as_chunks::<AT_ONCE>();
            let (grouped, single) = sums[..=row].as_chunks_mut::<AT_ONCE>();
            for (sums, rights) in grouped.iter_mut().zip(groups) {
                add_dots(sums, left, rights);
            }
            for (sum, right) in single.iter_mut().zip(rest) {
                add_dots(std::array::from_mut(sum), left, &[*right]);
            }
        }
    }
}

#[inline(always)]
fn add_dots<T: Scalar, const N: usize>(sums: &mut [f64; N], left: &[T], rights: &[&[T]; N]) {
    let mut lanes = [[0.0; LANES]; N];
    let (lefts, left_rest) = left.as_chunks::<LANES>();
    let chunked = rights.map(|right| right[..left.len()].as_chunks::<LANES>());
    for (at, left) in lefts.iter().enumerate() {
        for (lanes, (rights, _)) in lanes.iter_mut().zip(chunked) {
            add_products(lanes, left, &rights[at]);
        }
    }
    let left_rest = padded(left_rest);
    for (lanes, (_, rest)) in lanes.iter_mut().zip(chunked) {
        add_products(lanes, &left_rest, &padded(rest));
    }
    for (sum, lanes) in sums.iter_mut().zip(lanes) {
        *sum += lanes.iter().sum::<f64>();
    }
}

#[inline(always)]
fn add_products<T: Scalar>(lanes: &mut [f64; LANES], left: &[T; LANES], right: &[T; LANES]) {
    for (lane, (a, b)) in lanes.iter_mut().zip(left.iter().zip(right)) {
        *lane += a.to_f64() * b.to_f64();
    }
}

/// The last few entries, filled up with zeros: a loop of unknown length over the lanes would keep
/// them out of registers.
#[inline(always)]
fn padded<T: Scalar>(rest: &[T]) -> [T; LANES] {
    let mut padded = [T::ZERO; LANES];
    padded[..rest.len()].copy_from_slice(rest);
    padded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_integers_are_exact_at_every_shape() {
        for (count, dim) in [(0, 0), (1, 1), (3, 7), (5, 1025), (9, 40_003)] {
            let updates: Vec<Vec<f32>> = (0..count)
                .map(|s| (0..dim).map(|i| ((i * (s + 3)) % 11) as f32 - 5.0).collect())
                .collect();
            let rows: Vec<&[f32]> = updates.iter().map(Vec::as_slice).collect();
            let gram = gram(&rows);
            for (r, left) in rows.iter().enumerate() {
                for (s, right) in rows.iter().enumerate() {
                    let pairs = left.iter().zip(*right);
                    let exact: f64 = pairs.map(|(a, b)| f64::from(a * b)).sum();
                    assert_eq!(gram[r * count + s], exact, "{count} x {dim}: {r}, {s}");
                }
            }
        }
    }
}
