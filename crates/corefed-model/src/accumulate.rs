//! Weighted sums of rows, `sum_r weights_r x_r`: gradients and Hessian-vector products.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use pulp::Simd;

use crate::rows::Rows;

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
    let cols = rows.dense_cols;
    let mut blocks = rows.dense.chunks_exact(AT_ONCE * cols);
    let mut weights = weights.chunks_exact(AT_ONCE);
    for (block, weights) in blocks.by_ref().zip(weights.by_ref()) {
        let (a, b) = block.split_at(4 * cols);
        let (a, c) = a.split_at(2 * cols);
        let (b, d) = b.split_at(2 * cols);
        let ((a, e), (c, f)) = (a.split_at(cols), c.split_at(cols));
        let ((b, g), (d, h)) = (b.split_at(cols), d.split_at(cols));
        add_rows::<S, AT_ONCE>(simd, [a, e, c, f, b, g, d, h], weights, sum);
    }
    let rest = blocks.remainder().chunks_exact(cols);
    for (row, weight) in rest.zip(weights.remainder().chunks_exact(1)) {
        add_rows(simd, [row], weight, sum);
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

#[inline(always)]
fn add_rows<S: Simd, const R: usize>(simd: S, rows: [&[f64]; R], weights: &[f64], sum: &mut [f64]) {
    let mut factors = [simd.splat_f64s(0.0); R];
    for (factor, &weight) in factors.iter_mut().zip(weights) {
        *factor = simd.splat_f64s(weight);
    }
    let (head, tail) = S::as_mut_simd_f64s(sum);
    let parts = rows.map(|row| S::as_simd_f64s(row));
    let heads = parts.map(|(row, _)| &row[..head.len()]);
    for (j, part) in head.iter_mut().enumerate() {
        let mut value = *part;
        for (&factor, row) in factors.iter().zip(heads) {
            value = simd.mul_add_e_f64s(factor, row[j], value);
        }
        *part = value;
    }
    if !tail.is_empty() {
        let mut value = simd.partial_load_f64s(tail);
        for (&factor, (_, row)) in factors.iter().zip(parts) {
            value = simd.mul_add_e_f64s(factor, simd.partial_load_f64s(row), value);
        }
        simd.partial_store_f64s(tail, value);
    }
}
