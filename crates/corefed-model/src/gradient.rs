//! One pass over some rows for losses and gradients.

use pulp::{Simd, WithSimd};

use crate::{
    accumulate::accumulate,
    gram::BLOCK,
    link::Link,
    margins::{margins, shift},
    rows::Rows,
};

/// Bytes of dense rows in a block: read for the margins, they are still in the first-level
/// cache when they are read again for the gradient.
const BLOCK_BYTES: usize = 16 << 10;

/// Adds the gradient of the sum of losses of `rows` to `gradient`, unless that is empty,
/// and returns the sum of losses.
pub(crate) struct GradientPass<'a> {
    pub(crate) link: Link,
    pub(crate) rows: Rows<'a>,
    pub(crate) target: &'a [f64],
    pub(crate) params: &'a [f64],
    /// At least [`BLOCK`] numbers per class.
    pub(crate) margins: &'a mut [f64],
    pub(crate) gradient: &'a mut [f64],
}

impl WithSimd for GradientPass<'_> {
    type Output = f64;

    #[expect(clippy::inline_always, reason = "vector features reach only what is inlined")]
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let block = cached_rows(self.rows);
        let dim = self.params.len() / self.link.blocks;
        let mut loss = 0.0;
        for start in (0..self.rows.len).step_by(block) {
            let rows = self.rows.block(start, block.min(self.rows.len - start));
            let all = &mut self.margins[..rows.len * self.link.blocks];
            for (out, params) in all.chunks_exact_mut(rows.len).zip(self.params.chunks_exact(dim)) {
                margins(simd, rows, params, out);
            }
            shift(rows, all);
            let target = &self.target[start..start + rows.len];
            loss += self.link.differentiate(target, rows.weights, all);
            for (weights, sum) in
                all.chunks_exact(rows.len).zip(self.gradient.chunks_exact_mut(dim))
            {
                accumulate(simd, rows, weights, sum);
            }
        }
        loss
    }
}

/// Rows of a block, a multiple of eight.
pub(crate) fn cached_rows(rows: Rows<'_>) -> usize {
    let fitting = BLOCK_BYTES / (8 * rows.dense_cols.max(1));
    (fitting / 8 * 8).clamp(8, BLOCK)
}

#[cfg(test)]
mod tests {
    use corefed_core::Family;
    use corefed_data::Design;
    use pulp::Arch;

    use super::*;

    #[test]
    fn instruction_sets_agree() {
        // 13 columns leave a tail in vectors of any length, 21 rows a tail in every block.
        let values: Vec<_> = (0..21 * 13).map(|k| f64::from(k % 17) / 17.0 - 0.5).collect();
        let hot: Vec<_> = (0..21).flat_map(|r| [13 + r % 3, 16]).collect();
        let design = Design::new(21, 17, (13, values), (2, hot)).unwrap();
        let target: Vec<_> = (0..21).map(|r| f64::from(r % 2)).collect();
        let params: Vec<_> = (0..17).map(|k| f64::from(k % 5) - 2.0).collect();
        let link = Link { family: Family::Logistic, blocks: 1 };
        let [fast, plain] = [Arch::new(), Arch::Scalar].map(|arch| {
            let (mut margins, mut gradient) = ([0.0; BLOCK], vec![0.0; 17]);
            let loss = arch.dispatch(GradientPass {
                link,
                rows: Rows::new(&design, Some(16), 0..21),
                target: &target,
                params: &params,
                margins: &mut margins,
                gradient: &mut gradient,
            });
            gradient.push(loss);
            gradient
        });
        for (a, b) in fast.iter().zip(&plain) {
            assert!((a - b).abs() < 1e-13, "{a} != {b}");
        }
    }
}
