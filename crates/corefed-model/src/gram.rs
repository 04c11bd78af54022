//! Weighted Gram matrices `sum_r w_r x_r x_r'` of rows whose last columns are indicators.
//!
//! One such matrix is the Hessian of a linear or logistic loss, and one per pair of classes that
//! of softmax. Dense columns meet in a blocked product; an indicator adds the scaled dense row
//! to its own row; two indicators meet in a single addition. The intercept costs a weighted sum
//! of rows, because its products with indicators are their diagonal entries.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use corefed_data::Design;
use pulp::Simd;

use crate::{
    accumulate::{accumulate_dense, total},
    rows::Rows,
    tile::{PAD, lower_product},
    vectors::{heads, window},
};

/// Rows added at a time: few enough that they stay in the second-level cache, twice.
pub(crate) const BLOCK: usize = 64;

/// The layout of a Gram matrix under construction: dense rows and indicator rows, padded, over
/// the dense columns; then the packed lower triangle among indicators.
#[derive(Clone, Copy)]
pub(crate) struct GramShape {
    dense: usize,
    stride: usize,
    indicators: usize,
    /// The always-on column, counted from the first indicator.
    always: Option<usize>,
}

/// Where a finished Gram matrix goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Only its lower triangle is wanted.
    Lower,
    /// All of it: a block below the diagonal of a larger matrix.
    Full,
}

impl GramShape {
    pub(crate) fn new(design: &Design, always: Option<usize>) -> Self {
        let dense = design.dense_cols();
        Self {
            dense,
            stride: dense.next_multiple_of(PAD),
            indicators: design.dim() - dense,
            always: always.map(|column| column - dense),
        }
    }

    /// Numbers in one matrix.
    pub(crate) fn len(self) -> usize {
        (self.dense + self.indicators) * self.stride + packed(self.indicators)
    }

    /// Numbers of scratch that [`Self::add`] needs.
    pub(crate) fn scratch(self) -> usize {
        BLOCK * self.stride
    }

    /// Adds at most [`BLOCK`] rows to `gram`.
    #[inline(always)]
    pub(crate) fn add<S: Simd>(
        self,
        simd: S,
        rows: Rows<'_>,
        weights: &[f64],
        scratch: &mut [f64],
        gram: &mut [f64],
    ) {
        let (dense, indicators) = gram.split_at_mut(self.dense * self.stride);
        let (mixed, pairs) = indicators.split_at_mut(self.indicators * self.stride);
        let scaled = &mut scratch[..rows.len * self.stride];
        if self.dense > 0 {
            scale(simd, rows, weights, scaled, self.stride);
            lower_product(simd, (rows.dense, self.dense), (scaled, self.stride), dense);
        }
        if let Some(column) = self.always {
            let row = &mut mixed[column * self.stride..][..self.dense];
            if self.dense > 0 {
                accumulate_dense(simd, rows, weights, row);
            }
            pairs[packed(column) + column] += total(weights);
        }
        for (r, on) in rows.varying().enumerate() {
            let scaled = &scaled[r * self.stride..][..self.stride];
            for (k, &column) in on.iter().enumerate() {
                let column = column as usize - self.dense;
                let row = &mut mixed[column * self.stride..][..self.stride];
                for (sum, value) in row.iter_mut().zip(scaled) {
                    *sum += value;
                }
                let row = &mut pairs[packed(column)..][..=column];
                for &earlier in &on[..=k] {
                    row[earlier as usize - self.dense] += weights[r];
                }
            }
        }
    }

    /// Adds a finished matrix to the block of the row-major `target` (rows of `width` numbers)
    /// whose corner is `(top, left)`.
    pub(crate) fn spread(
        self,
        gram: &[f64],
        part: Part,
        (target, width): (&mut [f64], usize),
        (top, left): (usize, usize),
    ) {
        let pairs = &gram[(self.dense + self.indicators) * self.stride..];
        let mut put = |i: usize, j: usize, value: f64| {
            target[(top + i) * width + left + j] += value;
            if part == Part::Full && i != j {
                target[(top + j) * width + left + i] += value;
            }
        };
        for i in 0..self.dense + self.indicators {
            for j in 0..self.dense.min(i + 1) {
                put(i, j, gram[i * self.stride + j]);
            }
        }
        for b in 0..self.indicators {
            let row = &pairs[packed(b)..][..=b];
            for (a, &value) in row.iter().enumerate() {
                let both_on = if self.always == Some(b) { pairs[packed(a) + a] } else { value };
                put(self.dense + b, self.dense + a, both_on);
            }
        }
    }
}

/// Where row `row` of a packed lower triangle begins; its size, for `row` rows.
fn packed(row: usize) -> usize {
    row * (row + 1) / 2
}

/// Rows times their weights, each `stride` apart; what lies between them is never used.
#[inline(always)]
fn scale<S: Simd>(simd: S, rows: Rows<'_>, weights: &[f64], scaled: &mut [f64], stride: usize) {
    for (r, (&weight, out)) in weights.iter().zip(scaled.chunks_exact_mut(stride)).enumerate() {
        let factor = simd.splat_f64s(weight);
        let (out, _) = S::as_mut_simd_f64s(out);
        let [head] = heads::<S, 1>(rows, r);
        for (out, &value) in out.iter_mut().zip(head) {
            *out = simd.mul_f64s(factor, value);
        }
        if let Some(out) = out.get_mut(head.len()) {
            let start = r * rows.dense_cols + head.len() * S::F64_LANES;
            *out = simd.mul_f64s(factor, window(simd, rows.dense, start));
        }
    }
}
