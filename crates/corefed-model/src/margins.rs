//! Margins `x_r · theta` of a block of rows.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use pulp::Simd;

use crate::rows::Rows;

/// Rows whose sums run side by side: enough to hide the latency of one addition.
const SIDE_BY_SIDE: usize = 4;

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

#[inline(always)]
fn dots<S: Simd>(simd: S, rows: Rows<'_>, params: &[f64], base: f64, margins: &mut [f64]) {
    let cols = rows.dense_cols;
    let mut blocks = rows.dense.chunks_exact(SIDE_BY_SIDE * cols);
    let mut outputs = margins.chunks_exact_mut(SIDE_BY_SIDE);
    for (block, out) in blocks.by_ref().zip(outputs.by_ref()) {
        let (a, rest) = block.split_at(cols);
        let (b, rest) = rest.split_at(cols);
        let (c, d) = rest.split_at(cols);
        let sums = dot(simd, [a, b, c, d], params);
        for (margin, sum) in out.iter_mut().zip(sums) {
            *margin = base + sum;
        }
    }
    let rest = blocks.remainder().chunks_exact(cols);
    for (row, margin) in rest.zip(outputs.into_remainder()) {
        let [sum] = dot(simd, [row], params);
        *margin = base + sum;
    }
}

#[inline(always)]
fn dot<S: Simd, const R: usize>(simd: S, rows: [&[f64]; R], params: &[f64]) -> [f64; R] {
    let (head, tail) = S::as_simd_f64s(params);
    let parts = rows.map(|row| S::as_simd_f64s(row));
    let heads = parts.map(|(row, _)| &row[..head.len()]);
    let mut sums = [simd.splat_f64s(0.0); R];
    for (j, &param) in head.iter().enumerate() {
        for (sum, row) in sums.iter_mut().zip(heads) {
            *sum = simd.mul_add_e_f64s(param, row[j], *sum);
        }
    }
    if !tail.is_empty() {
        let param = simd.partial_load_f64s(tail);
        for (sum, (_, row)) in sums.iter_mut().zip(parts) {
            *sum = simd.mul_add_e_f64s(param, simd.partial_load_f64s(row), *sum);
        }
    }
    sums.map(|sum| simd.reduce_sum_f64s(sum))
}
