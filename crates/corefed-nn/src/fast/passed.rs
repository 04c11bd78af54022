//! What operations are given on the way back.

use super::pointwise::Masks;

/// What went through an operation on the way forwards.
#[derive(Clone, Copy)]
pub(crate) struct Passed<'a> {
    pub(crate) input: &'a [f32],
    pub(crate) out: &'a [f32],
    pub(crate) images: usize,
    pub(crate) masks: Option<Masks>,
}

/// Where the gradient of a layer goes.
pub(crate) struct Slopes<'a> {
    pub(crate) weights: &'a mut [f32],
    pub(crate) biases: &'a mut [f32],
    /// Whether to add to what is there or to overwrite it.
    pub(crate) add: bool,
}
