//! Margins `x_r · theta` of a block of rows.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use pulp::Simd;

use crate::{
    rows::Rows,
    vectors::{heads, window},
};

/// Rows whose sums run side by side: enough to hide the latency of one addition.
const SIDE_BY_SIDE: usize = 4;

/// Vectors from which on a row is summed alone. Long rows come from memory, whose prefetching
/// works best when they are read one after the other.
const LONG: usize = 5;

/// Writes the margin of each row; `params` has one number per column.
#[inline(always)]
pub(crate) fn margins<S: Simd>(simd: S, rows: Rows<'_>, params: &[f64], margins: &mut [f64]) {
    let base = rows.always.map_or(0.0, |column| params[column]);
    if rows.dense_cols == 0 {
        margins.fill(base);
    } else {
        dots(simd, rows, &params[..rows.dense_cols], base, margins);
    }
    for (margin, on) in margins.iter_mut().zip(rows.varying()) {
        for &column in on {
            *margin += params[column as usize];
        }
    }
}

/// Adds the rows' offsets to runs of margins, one per block of parameters.
#[inline(always)]
pub(crate) fn shift(rows: Rows<'_>, margins: &mut [f64]) {
    if rows.offsets.is_empty() {
        return;
    }
    for run in margins.chunks_exact_mut(rows.len) {
        for (margin, offset) in run.iter_mut().zip(rows.offsets) {
            *margin += offset;
        }
    }
}

/// Parameters of dense columns: whole vectors, and the rest filled up with zeros.
type Params<'a, S> = (&'a [<S as Simd>::f64s], <S as Simd>::f64s);

#[inline(always)]
fn dots<S: Simd>(simd: S, rows: Rows<'_>, params: &[f64], base: f64, margins: &mut [f64]) {
    let (head, tail) = S::as_simd_f64s(params);
    let params = (head, simd.partial_load_f64s(tail));
    let mut done = 0;
    if rows.dense_cols < LONG * S::F64_LANES {
        for out in margins.chunks_exact_mut(SIDE_BY_SIDE) {
            let sums = dot::<S, SIDE_BY_SIDE>(simd, rows, done, params);
            for (margin, sum) in out.iter_mut().zip(sums) {
                *margin = base + simd.reduce_sum_f64s(sum);
            }
            done += SIDE_BY_SIDE;
        }
    }
    for (r, margin) in margins.iter_mut().enumerate().skip(done) {
        let sum = long_dot(simd, rows, r, params);
        *margin = base + simd.reduce_sum_f64s(sum);
    }
}

/// Lane-wise partial sums of the dot products of `R` rows.
#[inline(always)]
fn dot<S: Simd, const R: usize>(
    simd: S,
    rows: Rows<'_>,
    first: usize,
    (head, tail): Params<'_, S>,
) -> [S::f64s; R] {
    let rows_heads = heads::<S, R>(rows, first);
    let mut sums = [simd.splat_f64s(0.0); R];
    for (j, &param) in head.iter().enumerate() {
        for (sum, row) in sums.iter_mut().zip(&rows_heads) {
            *sum = simd.mul_add_e_f64s(param, row[j], *sum);
        }
    }
    if !rows.dense_cols.is_multiple_of(S::F64_LANES) {
        for (r, sum) in sums.iter_mut().enumerate() {
            let start = (first + r) * rows.dense_cols + head.len() * S::F64_LANES;
            *sum = simd.mul_add_e_f64s(tail, window(simd, rows.dense, start), *sum);
        }
    }
    sums
}

/// The same for one row, with several sums along it.
#[inline(always)]
fn long_dot<S: Simd>(simd: S, rows: Rows<'_>, row: usize, (head, tail): Params<'_, S>) -> S::f64s {
    let [row_head] = heads::<S, 1>(rows, row);
    let mut sums = [simd.splat_f64s(0.0); SIDE_BY_SIDE];
    let mut params = head.chunks_exact(SIDE_BY_SIDE);
    let mut values = row_head.chunks_exact(SIDE_BY_SIDE);
    for (params, values) in params.by_ref().zip(values.by_ref()) {
        for ((sum, &param), &value) in sums.iter_mut().zip(params).zip(values) {
            *sum = simd.mul_add_e_f64s(param, value, *sum);
        }
    }
    let rest = params.remainder().iter().zip(values.remainder());
    for (sum, (&param, &value)) in sums.iter_mut().zip(rest) {
        *sum = simd.mul_add_e_f64s(param, value, *sum);
    }
    let [a, b, c, mut d] = sums;
    if !rows.dense_cols.is_multiple_of(S::F64_LANES) {
        let start = row * rows.dense_cols + head.len() * S::F64_LANES;
        d = simd.mul_add_e_f64s(tail, window(simd, rows.dense, start), d);
    }
    simd.add_f64s(simd.add_f64s(a, b), simd.add_f64s(c, d))
}
