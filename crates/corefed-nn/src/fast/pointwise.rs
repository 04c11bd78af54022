//! Activations that are not fused, and dropout: every number alone.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use pulp::Arch;

use super::aligned::Aligned;
use super::functions::{gelu, relu, softplus, tanh};
use super::kernel::{Loops, Run};
use super::layout::Layout;
use crate::Activation;
use crate::dropout::Mask;

/// An activation. Slopes are kept from the way forwards.
#[derive(Clone, Debug)]
pub(crate) struct Activate {
    activation: Activation,
    slopes: Aligned,
}

impl Activate {
    pub(crate) fn new(activation: Activation, output: Layout, batch: usize) -> Self {
        let image = Layout::new(output.shape, 0).image;
        Self { activation, slopes: Aligned::new(batch * image) }
    }

    pub(crate) fn forward(
        &mut self,
        arch: Arch,
        (input, from): (&[f32], Layout),
        (out, to): (&mut [f32], Layout),
        images: usize,
    ) {
        let slopes = &mut self.slopes[..];
        let map = Map { input, from, out, to, slopes, images };
        match self.activation {
            Activation::Relu => arch.dispatch(Run(map.by(relu))),
            Activation::Gelu => arch.dispatch(Run(map.by(gelu))),
            Activation::Softplus => arch.dispatch(Run(map.by(softplus))),
            Activation::Tanh => arch.dispatch(Run(map.by(tanh))),
        }
    }

    pub(crate) fn backward(&self, error: &mut [f32]) {
        for (error, slope) in error.iter_mut().zip(self.slopes.iter()) {
            *error *= slope;
        }
    }
}

struct Map<'a> {
    input: &'a [f32],
    from: Layout,
    out: &'a mut [f32],
    to: Layout,
    slopes: &'a mut [f32],
    images: usize,
}

impl<'a> Map<'a> {
    fn by<F: Fn(f32) -> (f32, f32)>(self, function: F) -> MapBy<'a, F> {
        MapBy(self, function)
    }
}

struct MapBy<'a, F: Fn(f32) -> (f32, f32)>(Map<'a>, F);

impl<F: Fn(f32) -> (f32, f32)> Loops for MapBy<'_, F> {
    #[inline(always)]
    fn run(self) {
        let Self(Map { input, from, out, to, slopes, images }, function) = self;
        let len = from.row_len();
        let plain = Layout::new(from.shape, 0);
        let places = from.rows(images).zip(to.rows(images)).zip(plain.rows(images));
        for ((read, write), slope) in places {
            let (input, out) = (&input[read..][..len], &mut out[write..][..len]);
            for ((&x, out), slope) in input.iter().zip(out).zip(&mut slopes[slope..][..len]) {
                (*out, *slope) = function(x);
            }
        }
    }
}

/// Dropout, or in evaluation a copy.
#[derive(Clone, Debug)]
pub(crate) struct Drop {
    pub(crate) rate: f32,
    /// Place among the layers.
    pub(crate) layer: usize,
}

impl Drop {
    pub(crate) fn forward(
        &self,
        (input, from): (&[f32], Layout),
        (out, to): (&mut [f32], Layout),
        images: usize,
        masks: Option<Masks>,
    ) {
        let len = from.row_len();
        for (line, (read, write)) in from.rows(images).zip(to.rows(images)).enumerate() {
            let (input, out) = (&input[read..][..len], &mut out[write..][..len]);
            out.copy_from_slice(input);
            self.scale(out, line, from.shape.height, masks);
        }
    }

    pub(crate) fn backward(
        &self,
        error: &mut [f32],
        layout: Layout,
        images: usize,
        masks: Option<Masks>,
    ) {
        for (line, at) in layout.rows(images).enumerate() {
            let error = &mut error[at..][..layout.row_len()];
            self.scale(error, line, layout.shape.height, masks);
        }
    }

    /// Drops numbers of one line of pixels, counted over all images.
    fn scale(&self, numbers: &mut [f32], line: usize, height: usize, masks: Option<Masks>) {
        let Some(Masks { seed, first }) = masks else { return };
        let mask = Mask::new(seed, self.layer, first + line / height);
        let begin = line % height * numbers.len();
        for (i, number) in numbers.iter_mut().enumerate() {
            *number *= mask.factor(begin + i, self.rate);
        }
    }
}

/// Which masks a batch uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Masks {
    /// Of the step.
    pub(crate) seed: u64,
    /// The row of the step that comes first in this batch.
    pub(crate) first: usize,
}
