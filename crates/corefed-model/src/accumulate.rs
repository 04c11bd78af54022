//! Weighted sums of rows, `sum_r weights_r x_r`: gradients and Hessian-vector products.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use pulp::Simd;

use crate::{
    rows::Rows,
    vectors::{heads, window},
};

/// Rows added to the sum at a time, so that it is loaded and stored once for all of them.
const AT_ONCE: usize = 8;

/// Adds the weighted sum of the rows to `sum`, one number per column.
#[inline(always)]
pub(crate) fn accumulate<S: Simd>(simd: S, rows: Rows<'_>, weights: &[f64], sum: &mut [f64]) {
    if rows.dense_cols > 0 {
        accumulate_dense(simd, rows, weights, &mut sum[..rows.dense_cols]);
    }
    if let Some(column) = rows.always {
        sum[column] += total(weights);
    }
    for (&weight, on) in weights.iter().zip(rows.varying()) {
        for &column in on {
            sum[column as usize] += weight;
        }
    }
}

/// The dense columns alone; `sum` has one number for each.
#[inline(always)]
pub(crate) fn accumulate_dense<S: Simd>(simd: S, rows: Rows<'_>, weights: &[f64], sum: &mut [f64]) {
    let (head, tail) = S::as_mut_simd_f64s(sum);
    let mut rest = simd.splat_f64s(0.0);
    let mut first = 0;
    let mut groups = weights.chunks_exact(AT_ONCE);
    for weights in groups.by_ref() {
        rest = add_rows::<S, AT_ONCE>(simd, rows, first, weights, (head, tail.len(), rest));
        first += AT_ONCE;
    }
    for weight in groups.remainder().chunks_exact(1) {
        rest = add_rows::<S, 1>(simd, rows, first, weight, (head, tail.len(), rest));
        first += 1;
    }
    if !tail.is_empty() {
        let sums = simd.add_f64s(simd.partial_load_f64s(tail), rest);
        simd.partial_store_f64s(tail, sums);
    }
}

/// The sum of some numbers, in eight interleaved parts.
#[inline(always)]
pub(crate) fn total(values: &[f64]) -> f64 {
    let mut parts = [0.0; 8];
    let mut eights = values.chunks_exact(8);
    for eight in eights.by_ref() {
        for (part, value) in parts.iter_mut().zip(eight) {
            *part += value;
        }
    }
    parts.iter().chain(eights.remainder()).sum()
}

/// Adds `R` rows to the whole vectors of the sum, and to `rest`, whose first `tail` lanes belong
/// to the columns behind them.
#[inline(always)]
fn add_rows<S: Simd, const R: usize>(
    simd: S,
    rows: Rows<'_>,
    first: usize,
    weights: &[f64],
    (head, tail, mut rest): (&mut [S::f64s], usize, S::f64s),
) -> S::f64s {
    let mut factors = [simd.splat_f64s(0.0); R];
    for (factor, &weight) in factors.iter_mut().zip(weights) {
        *factor = simd.splat_f64s(weight);
    }
    let rows_heads = heads::<S, R>(rows, first);
    for (j, sum) in head.iter_mut().enumerate() {
        let mut value = *sum;
        for (&factor, row) in factors.iter().zip(&rows_heads) {
            value = simd.mul_add_e_f64s(factor, row[j], value);
        }
        *sum = value;
    }
    if tail > 0 {
        for (r, &factor) in factors.iter().enumerate() {
            let start = (first + r + 1) * rows.dense_cols - tail;
            rest = simd.mul_add_e_f64s(factor, window(simd, rows.dense, start), rest);
        }
    }
    rest
}
