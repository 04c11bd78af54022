//! Convolutions with few channels: images side by side in the lanes of vectors.
//!
//! A bundle has as many images as a vector has lanes; missing ones are zeros, and so are their errors. Every
//! lane computes what it would compute alone. Slopes are summed for each lane, and over lanes only at the end.

use pulp::Arch;

use super::aligned::Aligned;
use super::fused::{Fused, Kept};
use super::kernel::{BundleMultiply, BundleOuter, Reach, panels};
use super::layout::Layout;
use super::passed::Slopes;
use crate::{Shape, Window};

mod places;
mod turn;
mod weights;

use places::{Back, Slide};
use turn::{Stretches, from_bundle, to_bundle};
use weights::{Turn, add_errors, add_lanes};

/// Channels up to which images are bundled: more fill vectors by themselves.
const MOST_CHANNELS: usize = 16;
/// Batches up to which channels in vectors are faster, most lanes being idle either way. Both add up the same
/// products in the same order, so logits have the same bits.
const FEW_IMAGES: usize = 6;

/// A convolution over bundles, and what is fused with it.
#[derive(Clone, Debug)]
pub(crate) struct Bundle {
    lanes: usize,
    input: Layout,
    output: Layout,
    fused: Fused,
    /// What the convolution makes, and what is left when everything fused is done: lanes are channels here.
    maps: Shape,
    made: Layout,
    forward: Slide,
    back: Back,
    /// What went in and came out, bundle by bundle.
    pixels: Aligned,
    out: Aligned,
    kept: Kept,
    scratch: Scratch,
}

/// Numbers of one bundle, and what is summed over all.
#[derive(Clone, Debug)]
struct Scratch {
    sums: Aligned,
    biases: Aligned,
    errors: Aligned,
    /// Errors among zeros.
    spread: Aligned,
    before: Aligned,
    slopes: Aligned,
    bias_slopes: Aligned,
}

impl Bundle {
    /// Whether channels are few, and images enough to fill lanes that would be paid for anyway.
    pub(crate) fn suits(taken: Shape, made: Shape, batch: usize) -> bool {
        let few = taken.channels <= MOST_CHANNELS && made.channels <= MOST_CHANNELS;
        few && batch > FEW_IMAGES
    }

    pub(crate) fn new(
        arch: Arch,
        window: Window,
        (input, maps, output): (Layout, Shape, Layout),
        fused: Fused,
        batch: usize,
    ) -> Self {
        let lanes = panels(arch, 1).lanes;
        let count = batch.div_ceil(lanes);
        let wide = |shape: Shape| Shape { channels: shape.channels * lanes, ..shape };
        let made = Layout::new(wide(output.shape), 0);
        let forward = Slide::forward(arch, window, input, maps);
        let back = Back::new(arch, window, (input, maps), lanes);
        let Reach { rows, run, .. } = forward.reach;
        let scratch = Scratch {
            sums: Aligned::new(maps.len() * lanes),
            biases: Aligned::new(maps.channels * lanes),
            errors: Aligned::new(made.image),
            spread: Aligned::new(back.numbers * lanes),
            before: Aligned::new(input.shape.len() * lanes),
            slopes: Aligned::new(rows * run * maps.channels * lanes),
            bias_slopes: Aligned::new(maps.channels * lanes),
        };
        Self {
            lanes,
            input,
            output,
            fused,
            maps: wide(maps),
            made,
            pixels: Aligned::new(count * Stretches::whole(input).len() * lanes),
            out: Aligned::new(count * made.image),
            kept: Kept::new(fused, wide(maps), count),
            forward,
            back,
            scratch,
        }
    }

    pub(crate) fn forward(
        &mut self,
        arch: Arch,
        (weights, biases): (&[f32], &[f32]),
        (input, images): (&[f32], usize),
        out: &mut [f32],
    ) {
        let (lanes, scratch) = (self.lanes, &mut self.scratch);
        self.forward.load(weights, Turn::Forward);
        for (wide, bias) in scratch.biases.chunks_exact_mut(lanes).zip(biases) {
            wide.fill(*bias);
        }
        let whole = Stretches::whole(self.input);
        let size = whole.len() * lanes;
        for (index, first) in (0..images).step_by(lanes).enumerate() {
            let count = lanes.min(images - first);
            let pixels = &mut self.pixels[index * size..][..size];
            to_bundle(arch, (&input[first * self.input.image..], whole, count), pixels);
            arch.dispatch(BundleMultiply {
                input: pixels,
                spans: &self.forward.spans,
                reach: self.forward.reach,
                weights: &self.forward.weights,
                out: &mut scratch.sums,
            });
            let made = &mut self.out[index * self.made.image..][..self.made.image];
            let sums = (&scratch.sums[..], self.maps);
            let kept = self.kept.from(index);
            self.fused.forward(arch, sums, &scratch.biases, (&mut *made, self.made), kept);
            let inner = Stretches::inner(self.output);
            from_bundle(arch, made, (&mut out[first * self.output.image..], inner, count));
        }
    }

    /// Gradients of weights and biases, and the error at the input where one is asked for.
    pub(crate) fn backward(
        &mut self,
        arch: Arch,
        weights: &[f32],
        images: usize,
        error: &[f32],
        slopes: Slopes<'_>,
        mut before: Option<&mut [f32]>,
    ) {
        let Slopes { weights: slopes, biases, add } = slopes;
        let lanes = self.lanes;
        if before.is_some() {
            self.back.slide.load(weights, Turn::Flipped);
        }
        let outer = Layout::new(self.output.shape, 0);
        let size = Stretches::whole(self.input).len() * lanes;
        self.scratch.bias_slopes.fill(0.0);
        for (index, first) in (0..images).step_by(lanes).enumerate() {
            let count = lanes.min(images - first);
            let errors = (&error[first * outer.image..], Stretches::inner(outer), count);
            to_bundle(arch, errors, &mut self.scratch.errors);
            let made = &self.out[index * self.made.image..][..self.made.image];
            self.fused.backward(
                arch,
                (&self.scratch.errors, self.made),
                (made, self.made),
                self.kept.from(index),
                (&mut self.scratch.spread, &self.back.places, self.maps),
            );
            self.add_products(arch, index * size..(index + 1) * size, index > 0);
            if let Some(before) = before.as_deref_mut() {
                let inner = Layout::new(self.input.shape, 0);
                arch.dispatch(BundleMultiply {
                    input: &self.scratch.spread,
                    spans: &self.back.slide.spans,
                    reach: self.back.slide.reach,
                    weights: &self.back.slide.weights,
                    out: &mut self.scratch.before,
                });
                let to = (&mut before[first * inner.image..], Stretches::inner(inner), count);
                from_bundle(arch, &self.scratch.before, to);
            }
        }
        add_lanes(arch, &self.scratch.slopes, slopes, add);
        add_lanes(arch, &self.scratch.bias_slopes, biases, add);
    }

    /// Adds what one bundle contributes to the slopes of every lane, or begins anew.
    fn add_products(&mut self, arch: Arch, pixels: std::ops::Range<usize>, add: bool) {
        let (scratch, back) = (&mut self.scratch, &self.back);
        for (index, lines) in back.lines.chunks(back.near).enumerate() {
            arch.dispatch(BundleOuter {
                input: &self.pixels[pixels.clone()],
                errors: &scratch.spread,
                lines,
                places: self.maps.width,
                distance: back.distance,
                reach: self.forward.reach,
                out: &mut scratch.slopes,
                add: add || index > 0,
            });
        }
        add_errors(arch, (&scratch.spread, &back.places), &mut scratch.bias_slopes);
    }
}
