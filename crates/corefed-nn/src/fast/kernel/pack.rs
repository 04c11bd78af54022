//! Matrices as panels: all rows of the first panel, then all of the next, padded with zeros.

use pulp::{Simd, WithSimd};

use super::tile::Panels;

/// Packs rows as they lie, `stride` apart.
pub(crate) struct Pack<'a> {
    pub(crate) panels: Panels,
    pub(crate) matrix: &'a [f32],
    pub(crate) stride: usize,
    pub(crate) rows: usize,
    /// Rows of a whole panel, and which of them come first here.
    pub(crate) total: usize,
    pub(crate) first: usize,
    pub(crate) out: &'a mut [f32],
}

impl WithSimd for Pack<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { panels, matrix, stride, rows, total, first, out } = self;
        for row in 0..rows {
            let numbers = &matrix[row * stride..][..panels.columns];
            for panel in panels.iter() {
                let numbers = &numbers[panel.column..][..panel.width];
                let at = panel.column * total + (first + row) * panel.padded;
                let out = &mut out[at..][..panel.padded];
                let (out, _) = S::as_mut_simd_f32s(out);
                let (whole, rest) = S::as_simd_f32s(numbers);
                for (to, from) in out.iter_mut().zip(whole) {
                    *to = *from;
                }
                if !rest.is_empty() {
                    out[whole.len()] = simd.partial_load_f32s(rest);
                }
            }
        }
    }
}

/// Packs columns of a matrix as if they were rows: number `k` of its row `j` becomes column `j` of row `k`.
pub(crate) struct PackTransposed<'a>(pub(crate) Pack<'a>);

impl WithSimd for PackTransposed<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Pack { panels, matrix, stride, rows, total, first, out } = self.0;
        for panel in panels.iter() {
            let at = panel.column * total + first * panel.padded;
            let out = &mut out[at..][..panel.padded * rows];
            let matrix = &matrix[panel.column * stride..];
            for (k, out) in out.chunks_exact_mut(panel.padded).enumerate() {
                let (there, padding) = out.split_at_mut(panel.width);
                for (j, out) in there.iter_mut().enumerate() {
                    *out = matrix[j * stride + k];
                }
                padding.fill(0.0);
            }
        }
    }
}
