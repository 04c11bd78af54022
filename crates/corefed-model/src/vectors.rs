//! Reading rows as vectors.
//!
//! Rows are seldom a multiple of a vector long. The last vector of a row then runs on into the
//! next row, and anybody who reads it ignores what it found there. That is safe because the rows of
//! a block share their agent: an infinite entry spoils the agent's sums either way.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use pulp::Simd;

use crate::rows::Rows;

/// The whole vectors of `R` rows from `first` on, equally many for each.
#[inline(always)]
pub(crate) fn heads<S: Simd, const R: usize>(rows: Rows<'_>, first: usize) -> [&[S::f64s]; R] {
    let count = rows.dense_cols / S::F64_LANES;
    let mut heads: [&[S::f64s]; R] = [&[]; R];
    for (r, head) in heads.iter_mut().enumerate() {
        let start = (first + r) * rows.dense_cols;
        *head = &S::as_simd_f64s(&rows.dense[start..start + rows.dense_cols]).0[..count];
    }
    heads
}

/// The vector that begins at `start`, filled up with zeros past the last row.
#[inline(always)]
pub(crate) fn window<S: Simd>(simd: S, dense: &[f64], start: usize) -> S::f64s {
    match dense.get(start..start + S::F64_LANES) {
        Some(whole) => S::as_simd_f64s(whole).0[0],
        None => simd.partial_load_f64s(&dense[start..]),
    }
}
