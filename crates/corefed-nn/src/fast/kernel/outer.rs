//! `out += windows' * errors`: the gradient of weights.

use pulp::{Simd, WithSimd};

use super::tile::{even_parts, most_rows, put, with_rows};

/// Adds up, over rows, the products of a stretch of the input with one panel of errors.
pub(crate) struct Outer<'a> {
    pub(crate) input: &'a [f32],
    /// Where the stretch begins in each row.
    pub(crate) offset: usize,
    pub(crate) len: usize,
    /// Where rows begin.
    pub(crate) rows: &'a [super::Row],
    /// For every row one or two vectors.
    pub(crate) panel: &'a [f32],
    /// One row per number of the stretch, `stride` apart.
    pub(crate) out: &'a mut [f32],
    pub(crate) stride: usize,
    /// The first column of the panel, and how many exist.
    pub(crate) column: usize,
    pub(crate) width: usize,
    /// Whether to add to `out` or to overwrite it.
    pub(crate) add: bool,
}

impl WithSimd for Outer<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let mut first = 0;
        for count in even_parts(self.len, most_rows::<S>()) {
            if self.width > S::F32_LANES {
                with_rows!(count, tile::<S, _, 2>(simd, &mut self, first));
            } else {
                with_rows!(count, tile::<S, _, 1>(simd, &mut self, first));
            }
            first += count;
        }
    }
}

#[inline(always)]
fn tile<S: Simd, const R: usize, const V: usize>(simd: S, work: &mut Outer<'_>, first: usize) {
    let (vectors, _) = S::as_simd_f32s(work.panel);
    let (panel, _) = vectors.as_chunks::<V>();
    let input = &work.input[work.offset + first..];
    let mut sums = [[simd.splat_f32s(0.0); V]; R];
    for (row, vectors) in work.rows.iter().zip(panel) {
        let Some(numbers) = input[row.from..].first_chunk::<R>() else { break };
        for i in 0..R {
            let x = simd.splat_f32s(numbers[i]);
            for v in 0..V {
                sums[i][v] = simd.mul_add_e_f32s(x, vectors[v], sums[i][v]);
            }
        }
    }
    for (i, sums) in sums.into_iter().enumerate() {
        let at = (first + i) * work.stride + work.column;
        put(simd, sums, &mut work.out[at..][..work.width], work.add);
    }
}
