//! The loops of a Cholesky factorisation, row by row of the upper factor.
//!
//! Rows are eliminated in blocks of 8 within blocks of 32: what comes after a block is loaded and
//! stored once for all of its rows. The last vector of a row is padding beyond the last column;
//! the first one may begin left of the diagonal. Neither is ever read as a number of the factor.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use std::ops::Range;

use pulp::{Simd, WithSimd};

/// Rows that are eliminated one by one.
const INNER: usize = 8;
/// Rows after which everything below is brought up to date.
const OUTER: usize = 32;
/// Rows that are updated together: they share what is loaded of the rows above.
const GROUP: usize = 4;
/// Columns that are updated together, so that 32 rows of them stay in the first cache.
const STRIP: usize = 64;

/// Overwrites the upper triangle by its factor; false if a pivot is not a positive number.
pub(crate) struct Factor<'a> {
    pub(crate) rows: &'a mut [f64],
    pub(crate) stride: usize,
}

impl WithSimd for Factor<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Self { rows, stride } = self;
        let dim = rows.len().checked_div(stride).unwrap_or(0);
        for outer in (0..dim).step_by(OUTER) {
            let end = (outer + OUTER).min(dim);
            for inner in (outer..end).step_by(INNER) {
                let next = (inner + INNER).min(end);
                if !eliminate(simd, rows, stride, inner..next) {
                    return false;
                }
                update(simd, rows, stride, inner..next, next..end);
            }
            update(simd, rows, stride, outer..end, end..dim);
        }
        true
    }
}

/// Factors a few rows that are up to date with all rows above them.
#[inline(always)]
fn eliminate<S: Simd>(simd: S, rows: &mut [f64], stride: usize, block: Range<usize>) -> bool {
    for k in block.clone() {
        let (above, below) = rows.split_at_mut((k + 1) * stride);
        let row = &mut above[k * stride..];
        let pivot = row[k].sqrt();
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        let start = k / S::F64_LANES * S::F64_LANES;
        let inverse = simd.splat_f64s(1.0 / pivot);
        for vector in S::as_mut_simd_f64s(&mut row[start..]).0 {
            *vector = simd.mul_f64s(*vector, inverse);
        }
        row[k] = pivot;
        for (i, other) in (k + 1..block.end).zip(below.chunks_exact_mut(stride)) {
            let factor = simd.splat_f64s(-row[i]);
            let start = i / S::F64_LANES * S::F64_LANES;
            let others = S::as_mut_simd_f64s(&mut other[start..]).0;
            for (other, &vector) in others.iter_mut().zip(S::as_simd_f64s(&row[start..]).0) {
                *other = simd.mul_add_e_f64s(factor, vector, *other);
            }
        }
    }
    true
}

/// Takes the products of the rows `block` from the rows `behind` them.
#[inline(always)]
fn update<S: Simd>(
    simd: S,
    rows: &mut [f64],
    stride: usize,
    block: Range<usize>,
    behind: Range<usize>,
) {
    let (above, below) = rows.split_at_mut(behind.start * stride);
    let above = &above[block.start * stride..];
    let below = &mut below[..behind.len() * stride];
    let mut left = behind.start / STRIP * STRIP;
    while left < stride {
        let right = (left + STRIP).min(stride);
        let mut first = behind.start;
        for group in below.chunks_mut(GROUP * stride) {
            if first >= right {
                break;
            }
            let start = left.max(first / S::F64_LANES * S::F64_LANES);
            let place = (above, stride, first);
            match group.len() / stride {
                4 => tile::<S, 4>(simd, place, group, start..right),
                3 => tile::<S, 3>(simd, place, group, start..right),
                2 => tile::<S, 2>(simd, place, group, start..right),
                _ => tile::<S, 1>(simd, place, group, start..right),
            }
            first += GROUP;
        }
        left = right;
    }
}

/// `R` rows from number `first` on, less the products of the rows above with their entries there.
#[inline(always)]
fn tile<S: Simd, const R: usize>(
    simd: S,
    (above, stride, first): (&[f64], usize, usize),
    group: &mut [f64],
    columns: Range<usize>,
) {
    let mut col = columns.start;
    while col < columns.end {
        let mut sums = [simd.splat_f64s(0.0); R];
        for row in above.chunks_exact(stride) {
            let Some(factors) = row[first..].first_chunk::<R>() else { break };
            let vector = S::as_simd_f64s(&row[col..col + S::F64_LANES]).0[0];
            for (sum, &factor) in sums.iter_mut().zip(factors) {
                *sum = simd.mul_add_e_f64s(simd.splat_f64s(factor), vector, *sum);
            }
        }
        for (row, sum) in group.chunks_exact_mut(stride).zip(sums) {
            let place = &mut S::as_mut_simd_f64s(&mut row[col..col + S::F64_LANES]).0[0];
            *place = simd.sub_f64s(*place, sum);
        }
        col += S::F64_LANES;
    }
}

/// Solves with the transposed factor, in place.
pub(crate) struct Forward<'a> {
    pub(crate) rows: &'a [f64],
    pub(crate) stride: usize,
    pub(crate) rhs: &'a mut [f64],
}

impl WithSimd for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (k, row) in self.rows.chunks_exact(self.stride.max(1)).enumerate() {
            let value = self.rhs[k] / row[k];
            self.rhs[k] = value;
            for (entry, factor) in self.rhs[k + 1..].iter_mut().zip(&row[k + 1..]) {
                *entry -= factor * value;
            }
        }
    }
}

/// Solves with the factor, in place.
pub(crate) struct Backward<'a> {
    pub(crate) rows: &'a [f64],
    pub(crate) stride: usize,
    pub(crate) rhs: &'a mut [f64],
}

impl WithSimd for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (k, row) in self.rows.chunks_exact(self.stride.max(1)).enumerate().rev() {
            let (done, rest) = self.rhs.split_at_mut(k + 1);
            done[k] = (done[k] - dot(&row[k + 1..], rest)) / row[k];
        }
    }
}

/// Eight sums side by side, so that the compiler may use vectors of any width to the same bits.
#[inline(always)]
fn dot(row: &[f64], rhs: &[f64]) -> f64 {
    const LANES: usize = 8;
    let row = &row[..rhs.len()];
    let mut sums = [0.0; LANES];
    let (heads, tail) = (row.chunks_exact(LANES), rhs.chunks_exact(LANES));
    let (row_tail, rhs_tail) = (heads.remainder(), tail.remainder());
    for (row, rhs) in heads.zip(tail) {
        for ((sum, a), b) in sums.iter_mut().zip(row).zip(rhs) {
            *sum += a * b;
        }
    }
    let rest: f64 = row_tail.iter().zip(rhs_tail).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}
