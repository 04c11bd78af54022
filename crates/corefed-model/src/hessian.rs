//! One pass over some rows for the Hessian, as one Gram matrix per pair of classes.

use pulp::{Simd, WithSimd};

use crate::{
    gram::{BLOCK, GramShape},
    link::{Link, weigh},
    margins::{margins, shift},
    rows::Rows,
};

/// Adds `factor` times the Hessian of the sum of losses of `rows` to `grams`.
pub(crate) struct HessianPass<'a> {
    pub(crate) link: Link,
    pub(crate) shape: GramShape,
    pub(crate) rows: Rows<'a>,
    pub(crate) params: &'a [f64],
    pub(crate) factor: f64,
    pub(crate) scratch: &'a mut HessianScratch,
    /// Gram matrices in the order of [`Link::curvatures`].
    pub(crate) grams: &'a mut [f64],
}

/// What a Hessian pass writes to besides its result.
pub(crate) struct HessianScratch {
    margins: Vec<f64>,
    weights: Vec<f64>,
    scaled: Vec<f64>,
}

impl HessianScratch {
    pub(crate) fn new(link: Link, shape: GramShape) -> Self {
        Self {
            margins: vec![0.0; BLOCK * link.blocks],
            weights: vec![0.0; BLOCK * link.pairs()],
            scaled: vec![0.0; shape.scratch()],
        }
    }
}

impl WithSimd for HessianPass<'_> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "vector features reach only what is inlined")]
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let dim = self.params.len() / self.link.blocks;
        let HessianScratch { margins: all, weights, scaled } = self.scratch;
        for start in (0..self.rows.len).step_by(BLOCK) {
            let rows = self.rows.block(start, BLOCK.min(self.rows.len - start));
            let all = &mut all[..rows.len * self.link.blocks];
            if self.link.is_curved() {
                for (out, params) in
                    all.chunks_exact_mut(rows.len).zip(self.params.chunks_exact(dim))
                {
                    margins(simd, rows, params, out);
                }
                shift(rows, all);
            }
            let weights = &mut weights[..rows.len * self.link.pairs()];
            self.link.curvatures(self.factor, all, weights);
            weigh(rows.weights, weights);
            let grams = self.grams.chunks_exact_mut(self.shape.len());
            for (weights, gram) in weights.chunks_exact(rows.len).zip(grams) {
                self.shape.add(simd, rows, weights, scaled, gram);
            }
        }
    }
}
