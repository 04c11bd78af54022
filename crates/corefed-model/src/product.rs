//! One pass over some rows for a Hessian-vector product.

use pulp::{Simd, WithSimd};

use crate::{
    accumulate::accumulate,
    gradient::cached_rows,
    gram::BLOCK,
    link::{Link, weigh},
    margins::{margins, shift},
    rows::Rows,
};

/// Adds `factor` times the Hessian of the sum of losses of `rows`, applied to `direction`, to
/// `product`.
pub(crate) struct ProductPass<'a> {
    pub(crate) link: Link,
    pub(crate) rows: Rows<'a>,
    pub(crate) params: &'a [f64],
    pub(crate) direction: &'a [f64],
    pub(crate) factor: f64,
    /// At least twice [`BLOCK`] numbers per class.
    pub(crate) margins: &'a mut [f64],
    pub(crate) product: &'a mut [f64],
}

impl WithSimd for ProductPass<'_> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "vector features reach only what is inlined")]
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let dim = self.params.len() / self.link.blocks;
        let (at, along) = self.margins.split_at_mut(BLOCK * self.link.blocks);
        let block = cached_rows(self.rows);
        for start in (0..self.rows.len).step_by(block) {
            let rows = self.rows.block(start, block.min(self.rows.len - start));
            let at = &mut at[..rows.len * self.link.blocks];
            let along = &mut along[..rows.len * self.link.blocks];
            if self.link.is_curved() {
                for (out, params) in
                    at.chunks_exact_mut(rows.len).zip(self.params.chunks_exact(dim))
                {
                    margins(simd, rows, params, out);
                }
                shift(rows, at);
            }
            for (out, params) in
                along.chunks_exact_mut(rows.len).zip(self.direction.chunks_exact(dim))
            {
                margins(simd, rows, params, out);
            }
            self.link.curve(self.factor, at, along);
            weigh(rows.weights, along);
            for (weights, sum) in
                along.chunks_exact(rows.len).zip(self.product.chunks_exact_mut(dim))
            {
                accumulate(simd, rows, weights, sum);
            }
        }
    }
}
