//! `out += rows * matrix` where the matrix is read as it lies and not packed.

use pulp::{Simd, WithSimd};

use super::Row;
use super::tile::{VECTORS, even_parts, most_rows, put, with_rows};

/// Rows that are few enough for any matrix.
const FEW: usize = 24;
/// Rows of a matrix at multiples of this distance compete for the same places of the first-level cache.
const COMPETING: usize = 256;

/// Whether reading a matrix as it lies is cheaper than packing it.
pub(crate) fn streams(rows: usize, columns: usize, lanes: usize) -> bool {
    columns >= lanes && (rows <= FEW || !columns.is_multiple_of(COMPETING))
}

/// Multiplies a stretch of rows with as many rows of a matrix of at least one vector's width.
pub(crate) struct Stream<'a> {
    pub(crate) input: &'a [f32],
    pub(crate) rows: &'a [Row],
    /// Where the stretch begins in each row, and its length.
    pub(crate) offset: usize,
    pub(crate) len: usize,
    pub(crate) matrix: &'a [f32],
    pub(crate) columns: usize,
    pub(crate) out: &'a mut [f32],
    /// Whether to add to `out` or to overwrite it.
    pub(crate) add: bool,
}

impl WithSimd for Stream<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let (lanes, columns) = (S::F32_LANES, self.columns);
        let mut column = 0;
        while column < columns {
            // Columns left over are a panel that begins earlier, and what is known already does not change.
            let mut known = 0;
            let vectors = if column + VECTORS * lanes <= columns { VECTORS } else { 1 };
            if column + vectors * lanes > columns {
                known = column + lanes - columns;
            }
            let mut rows = self.rows;
            for count in even_parts(rows.len(), most_rows::<S>()) {
                let (block, rest) = rows.split_at(count);
                rows = rest;
                if vectors == VECTORS {
                    with_rows!(count, tile::<S, _, 2>(simd, &mut self, block, column, 0));
                } else {
                    with_rows!(
                        count,
                        tile::<S, _, 1>(simd, &mut self, block, column - known, known)
                    );
                }
            }
            column += vectors * lanes;
        }
    }
}

#[inline(always)]
fn tile<S: Simd, const R: usize, const V: usize>(
    simd: S,
    work: &mut Stream<'_>,
    block: &[Row],
    column: usize,
    known: usize,
) {
    let Some(block) = block.first_chunk::<R>() else { return };
    let width = V * S::F32_LANES;
    let rows: [&[f32]; R] =
        std::array::from_fn(|i| &work.input[block[i].from + work.offset..][..work.len]);
    let mut sums = [[simd.splat_f32s(0.0); V]; R];
    let matrix = work.matrix.chunks_exact(work.columns);
    for (k, weights) in (0..work.len).zip(matrix) {
        let (weights, _) = S::as_simd_f32s(&weights[column..][..width]);
        for i in 0..R {
            let x = simd.splat_f32s(rows[i][k]);
            for v in 0..V {
                sums[i][v] = simd.mul_add_e_f32s(x, weights[v], sums[i][v]);
            }
        }
    }
    for (row, sums) in block.iter().zip(sums) {
        let out = &mut work.out[row.to + column..][..width];
        if known == 0 {
            put(simd, sums, out, work.add);
            continue;
        }
        // As few as a vector has: once for a matrix.
        let mut vector = [0.0; 16];
        let (first, _) = S::as_mut_simd_f32s(&mut vector[..S::F32_LANES]);
        first[0] = sums[0];
        for (out, sum) in out[known..].iter_mut().zip(&vector[known..]) {
            *out = if work.add { *out + sum } else { *sum };
        }
    }
}
