//! A layer with weights, joined with what follows it at once.

use corefed_nn::{Activation, Shape, Window};

/// A convolution; a linear layer is one over a single pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Product {
    pub(crate) input: Shape,
    /// Before the pool.
    pub(crate) output: Shape,
    pub(crate) window: Window,
    /// Of the weights in the flat vector; biases follow them.
    pub(crate) offset: usize,
    pub(crate) activation: Option<Activation>,
    /// Largest of 2x2 after the activation.
    pub(crate) pools: bool,
    /// The activation that made its input and whose slope its gradient takes along.
    pub(crate) before: Option<Activation>,
    /// Reads images: needs no gradient for its input.
    pub(crate) first: bool,
    /// Its input was made by a product of matrices, and what it makes goes into one. Such numbers are rounded
    /// where they are written, not each time that they are read.
    pub(crate) between: (bool, bool),
    /// Whether what it reads, made by a product for one of matrices, and what it makes for one of these comes in
    /// whole vectors of bf16.
    pub(crate) eights: (bool, bool),
    /// What it makes, if that is pooled and its gradient is kept for all pixels, most of them zero: larger, but
    /// it lies in memory as it is multiplied.
    pub(crate) spreads: bool,
    /// What the product before made, if that spreads.
    pub(crate) behind: Option<Shape>,
}

impl Product {
    /// What it makes of a sample in the end.
    pub(crate) fn made(&self) -> Shape {
        let Shape { height, width, channels } = self.output;
        if self.pools {
            Shape { height: height / 2, width: width / 2, channels }
        } else {
            self.output
        }
    }

    /// Places where the window is put, per sample: those that are pooled, if it pools.
    pub(crate) fn places(&self) -> usize {
        let made = self.made();
        made.height * made.width * if self.pools { 4 } else { 1 }
    }

    /// Whether every pixel is in a pool, and pixels are whole vectors. What is pooled goes into a product.
    pub(crate) fn can_spread(&self) -> bool {
        let Shape { height, width, channels } = self.output;
        self.pools && height % 2 == 0 && width % 2 == 0 && channels.is_multiple_of(4)
    }

    /// Numbers in the gradient of what it makes of a sample.
    pub(crate) fn gradients(&self) -> usize {
        if self.spreads { self.output.len() } else { self.made().len() }
    }

    /// Whether the slope of its activation needs what went in.
    pub(crate) fn keeps_input(&self) -> bool {
        needs_input(self.activation)
    }
}

/// ReLU and tanh tell their slope from what they made.
pub(crate) fn needs_input(activation: Option<Activation>) -> bool {
    matches!(activation, Some(Activation::Gelu | Activation::Softplus))
}
