//! `out += rows * panel`, where rows may overlap: convolutions and linear layers alike.

use pulp::{Simd, WithSimd};

use super::tile::{even_parts, most_rows, put, with_rows};

/// One row of the left matrix and of the output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Where its window begins in the input.
    pub(crate) from: usize,
    /// Where its outputs begin.
    pub(crate) to: usize,
}

/// A stretch of every row: the columns of the left matrix need not be contiguous.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// Relative to the beginning of the row.
    pub(crate) offset: usize,
    pub(crate) len: usize,
}

/// Multiplies rows, cut into segments, with one panel.
pub(crate) struct Multiply<'a> {
    pub(crate) input: &'a [f32],
    pub(crate) rows: &'a [Row],
    pub(crate) segments: &'a [Segment],
    /// For every number of a row one or two vectors.
    pub(crate) panel: &'a [f32],
    pub(crate) out: &'a mut [f32],
    /// The first column of the panel, and how many exist.
    pub(crate) column: usize,
    pub(crate) width: usize,
    /// Whether to add to `out` or to overwrite it.
    pub(crate) add: bool,
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let mut rows = self.rows;
        for count in even_parts(rows.len(), most_rows::<S>()) {
            let (block, rest) = rows.split_at(count);
            rows = rest;
            if self.width > S::F32_LANES {
                with_rows!(count, tile::<S, _, 2>(simd, &mut self, block));
            } else {
                with_rows!(count, tile::<S, _, 1>(simd, &mut self, block));
            }
        }
    }
}

#[inline(always)]
fn tile<S: Simd, const R: usize, const V: usize>(simd: S, work: &mut Multiply<'_>, block: &[Row]) {
    let Some(block) = block.first_chunk::<R>() else { return };
    let (vectors, _) = S::as_simd_f32s(work.panel);
    let (mut panel, _) = vectors.as_chunks::<V>();
    let mut sums = [[simd.splat_f32s(0.0); V]; R];
    for segment in work.segments {
        let len = segment.len;
        let rows: [&[f32]; R] =
            std::array::from_fn(|i| &work.input[block[i].from + segment.offset..][..len]);
        let (now, rest) = panel.split_at(len);
        panel = rest;
        for k in 0..len {
            let vectors = now[k];
            for i in 0..R {
                let x = simd.splat_f32s(rows[i][k]);
                for v in 0..V {
                    sums[i][v] = simd.mul_add_e_f32s(x, vectors[v], sums[i][v]);
                }
            }
        }
    }
    for (row, sums) in block.iter().zip(sums) {
        put(simd, sums, &mut work.out[row.to + work.column..][..work.width], work.add);
    }
}
