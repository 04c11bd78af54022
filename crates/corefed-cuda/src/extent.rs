//! Sizes of a layer's products.

use crate::border::Border;
use crate::halves::Lie;
use crate::kind::Kind;
use crate::product::Product;

/// Rows, columns and summands of a product, for one agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) reds: usize,
    /// Numbers that are read at once on the left and on the right, and written at once.
    pub(crate) vectors: [usize; 3],
    /// Operands that lie in memory as they are multiplied, in lines of this many summands: a tile is copied if
    /// its depth divides a line. Zero: whatever the depth. `None`: they do not lie so.
    pub(crate) lines: Option<usize>,
    /// What they are in memory.
    pub(crate) lie: Lie,
    /// Summands that tiles may leave out.
    pub(crate) border: Option<Border>,
}

impl Extent {
    /// `wide` is how many channels the input has in memory.
    pub(crate) fn new(
        product: &Product,
        kind: Kind,
        batch: usize,
        wide: usize,
        vectors: [usize; 3],
        lie: Lie,
    ) -> Self {
        let (input, outputs) = (product.input, product.output.channels);
        let taps = product.window.size * product.window.size;
        let places = batch * product.places();
        // Gradients behind a pool lie so only if they are spread.
        let there = product.spreads || !product.pools;
        let lines = match kind {
            Kind::Forward => (!product.first && taps <= 32).then_some(wide),
            Kind::Input => (there && product.window.stride == 1 && taps <= 32).then_some(outputs),
            Kind::Weight => (there && !product.first).then_some(0),
        };
        let (rows, cols, reds) = match kind {
            Kind::Forward => (places, outputs, taps * wide),
            Kind::Input => (batch * input.height * input.width, input.channels, taps * outputs),
            // One row more: the biases.
            Kind::Weight => (taps * wide + 1, outputs, places),
        };
        let border = Border::new(product, kind, batch, wide);
        Self { rows, cols, reds, vectors, lines, lie, border }
    }
}
