//! Convolutions: products of overlapping windows with a matrix, no window ever copied.

use std::ops::Range;

use pulp::Arch;

use super::aligned::Aligned;
use super::fused::{Fused, Kept};
use super::kernel::{Outer, Row, Segment, panels};
use super::layout::Layout;
use super::passed::{Passed, Slopes};
use super::slide::{Scratch, Slide, Weights};
use super::tiles::Tiles;
use crate::{Shape, Window};

/// Pixels that are worked on at a time: their sums stay in the second-level cache.
const PIXELS: usize = 256;
/// Errors of pixels that are packed at a time: with 32 channels 16 KiB.
const CHUNK: usize = 128;

/// A convolution, and what is fused with it.
#[derive(Clone, Debug)]
pub(crate) struct Conv {
    input: Layout,
    /// What the convolution itself makes.
    maps: Shape,
    /// What is left when everything fused is done.
    output: Layout,
    fused: Fused,
    /// Images worked on at a time.
    group: usize,
    forward: Slide,
    sums: Aligned,
    kept: Kept,
    chunk: Aligned,
    back: Back,
    scratch: Scratch,
}

/// What the way back needs: errors spread out as the windows were, with zeros between and around.
#[derive(Clone, Debug)]
struct Back {
    layout: Layout,
    errors: Aligned,
    /// Where the errors of a group are.
    places: Vec<Row>,
    slide: Slide,
}

impl Conv {
    pub(crate) fn new(
        arch: Arch,
        window: Window,
        (input, maps, output): (Layout, Shape, Layout),
        fused: Fused,
        batch: usize,
    ) -> Self {
        let steps = (window.size, window.stride);
        let tiles = Tiles::fit(steps, input, maps);
        let pixels = tiles.map_or(PIXELS, |tiles| tiles.places());
        let group = pixels.div_ceil(maps.height * maps.width).min(batch);
        Self {
            forward: Slide::new(input, steps, (maps, maps.len()), group),
            sums: Aligned::new(group * maps.len()),
            kept: Kept::new(fused, maps, batch),
            chunk: Aligned::new(CHUNK * panels(arch, maps.channels).padded()),
            back: Back::new(window, input, maps, group),
            scratch: Scratch::default(),
            input,
            maps,
            output,
            fused,
            group,
        }
    }

    pub(crate) fn forward(
        &mut self,
        arch: Arch,
        (weights, biases): (&[f32], &[f32]),
        (input, images): (&[f32], usize),
        out: &mut [f32],
    ) {
        let layout = self.output;
        self.forward.load(arch, Weights::Forward(weights), &mut self.scratch);
        for (first, count) in groups(images, self.group) {
            let input = (&input[first * self.input.image..], count);
            self.forward.multiply(arch, input, &mut self.scratch, &mut self.sums);
            let sums = (&self.sums[..count * self.maps.len()], self.maps);
            let out = &mut out[first * layout.image..(first + count) * layout.image];
            self.fused.forward(arch, sums, biases, (out, layout), self.kept.from(first));
        }
    }

    /// Gradients of weights and biases, and the error at the input where one is asked for.
    pub(crate) fn backward(
        &mut self,
        arch: Arch,
        weights: &[f32],
        Passed { input, out, images, .. }: Passed<'_>,
        error: &[f32],
        mut slopes: Slopes<'_>,
        mut before: Option<&mut [f32]>,
    ) {
        if before.is_some() {
            self.back.slide.load(arch, Weights::Flipped(weights), &mut self.scratch);
        }
        if !slopes.add {
            slopes.biases.fill(0.0);
        }
        let (layout, outer) = (self.output, Layout::new(self.output.shape, 0));
        let inner = Layout::new(self.input.shape, 0);
        for (first, count) in groups(images, self.group) {
            let pixels = count * self.maps.height * self.maps.width;
            let back = &mut self.back;
            self.fused.backward(
                arch,
                (&error[first * outer.image..], outer),
                (&out[first * layout.image..], layout),
                self.kept.from(first),
                (&mut back.errors, &back.places[..pixels], self.maps),
            );
            let places = &back.places[..pixels];
            let input = &input[first * self.input.image..];
            if self.forward.collects(arch) {
                let errors = (&back.errors[..], places, back.layout.row);
                let add = first > 0;
                self.forward.add_products(arch, input, errors, &mut self.scratch, add);
                add_up(errors.0, places, slopes.biases);
            } else {
                let rows = self.forward.rows[..pixels].chunks(CHUNK);
                for (rows, places) in rows.zip(places.chunks(CHUNK)) {
                    let values = (input, &back.errors[..]);
                    let segments = (&self.forward.segments[..], self.maps.channels);
                    let chunk = &mut self.chunk;
                    outer_products(arch, values, (rows, places), segments, chunk, &mut slopes);
                    slopes.add = true;
                }
            }
            if let Some(before) = before.as_deref_mut() {
                let before = &mut before[first * inner.image..];
                back.slide.multiply(arch, (&back.errors, count), &mut self.scratch, before);
            }
        }
        if self.forward.collects(arch) {
            self.forward.collect(arch, &self.scratch, slopes.weights, slopes.add);
        }
    }
}

/// Adds errors of all places.
fn add_up(errors: &[f32], places: &[Row], biases: &mut [f32]) {
    for place in places {
        for (bias, error) in biases.iter_mut().zip(&errors[place.from..]) {
            *bias += error;
        }
    }
}

/// Adds what a chunk of pixels contributes to the gradient.
fn outer_products(
    arch: Arch,
    (input, errors): (&[f32], &[f32]),
    (rows, places): (&[Row], &[Row]),
    (segments, made): (&[Segment], usize),
    chunk: &mut Aligned,
    slopes: &mut Slopes<'_>,
) {
    for panel in panels(arch, made).iter() {
        let Range { start, end } = panel.column..panel.column + panel.width;
        let chunk = &mut chunk[..rows.len() * panel.padded];
        for (place, chunk) in places.iter().zip(chunk.chunks_exact_mut(panel.padded)) {
            let errors = &errors[place.from + start..place.from + end];
            chunk[..panel.width].copy_from_slice(errors);
            chunk[panel.width..].fill(0.0);
            for (bias, error) in slopes.biases[start..end].iter_mut().zip(errors) {
                *bias += error;
            }
        }
        for (index, segment) in segments.iter().enumerate() {
            arch.dispatch(Outer {
                input,
                offset: segment.offset,
                len: segment.len,
                rows,
                panel: &*chunk,
                out: &mut slopes.weights[index * segment.len * made..][..segment.len * made],
                stride: made,
                column: panel.column,
                width: panel.width,
                add: slopes.add,
            });
        }
    }
}

impl Back {
    fn new(window: Window, input: Layout, maps: Shape, group: usize) -> Self {
        let shape = input.shape;
        // Errors lie `stride` apart behind a border that a window of all pixels around needs.
        let border = window.size - 1 - window.padding;
        let spread = |pixels: usize| pixels + window.size - 1;
        let (height, width) = (spread(shape.height), spread(shape.width));
        let layout = Layout::new(Shape { height, width, channels: maps.channels }, 0);
        let mut places = Vec::new();
        for image in 0..group {
            for y in 0..maps.height {
                for x in 0..maps.width {
                    let at = layout.at(border + y * window.stride, border + x * window.stride);
                    places.push(Row { from: image * layout.image + at, to: 0 });
                }
            }
        }
        let inner = Layout::new(shape, 0);
        let slide = Slide::new(layout, (window.size, 1), (shape, inner.image), group);
        Self { layout, errors: Aligned::new(group * layout.image), places, slide }
    }
}

/// The first image of every group, and how many there are.
fn groups(images: usize, group: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..images).step_by(group).map(move |first| (first, group.min(images - first)))
}
