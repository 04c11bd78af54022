//! Layers with weights: forwards, back to their input, and the slopes of their weights.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use std::array;

use super::lanes::{LANES, Lane, Lanes, add_slope};
use super::windows::Windows;
use crate::fast::Loops;
use crate::plain::Dual;

/// Sums that are kept in registers at once, at most.
const BLOCK: usize = 4;

/// Work on some channels that follow each other.
trait Blocks {
    fn block<const B: usize>(&mut self, first: usize);
}

/// All channels, in blocks of about the same size: sums of a small block wait for each other.
#[inline(always)]
fn in_blocks(channels: usize, mut work: impl Blocks) {
    let (mut first, mut blocks) = (0, channels.div_ceil(BLOCK));
    while first < channels {
        let size = (channels - first).div_ceil(blocks);
        match size {
            4 => work.block::<4>(first),
            3 => work.block::<3>(first),
            2 => work.block::<2>(first),
            _ => work.block::<1>(first),
        }
        first += size;
        blocks -= 1;
    }
}

/// Weights `[cell][input channel][output channel]`, and channels of both.
#[derive(Clone, Copy)]
pub(super) struct Weights<'a> {
    pub(super) numbers: &'a [Dual],
    pub(super) channels: (usize, usize),
}

impl Weights<'_> {
    #[inline(always)]
    fn at(&self, cell: usize, input: usize, output: usize) -> usize {
        (cell * self.channels.0 + input) * self.channels.1 + output
    }
}

/// What a layer makes.
pub(super) struct Forward<'a> {
    pub(super) windows: &'a Windows,
    pub(super) weights: Weights<'a>,
    pub(super) biases: &'a [Dual],
    pub(super) input: &'a [Lanes],
    pub(super) output: &'a mut [Lanes],
}

impl Loops for Forward<'_> {
    #[inline(always)]
    fn run(mut self) {
        let outputs = self.weights.channels.1;
        for place in 0..self.windows.places.len() {
            in_blocks(outputs, Place(&mut self, place));
        }
    }
}

/// One place of what a layer makes.
struct Place<'w, 'a>(&'w mut Forward<'a>, usize);

impl Blocks for Place<'_, '_> {
    #[inline(always)]
    fn block<const B: usize>(&mut self, first: usize) {
        let Self(layer, place) = self;
        let (inputs, outputs) = layer.weights.channels;
        let mut sums: [Lanes; B] = array::from_fn(|k| Lanes::of(layer.biases[first + k]));
        for sight in &layer.windows.places[*place] {
            let pixel = &layer.input[sight.pixel * inputs..][..inputs];
            for (channel, x) in pixel.iter().enumerate() {
                let weights =
                    &layer.weights.numbers[layer.weights.at(sight.cell, channel, first)..];
                for (sum, weight) in sums.iter_mut().zip(&weights[..B]) {
                    sum.add_product(x, *weight);
                }
            }
        }
        layer.output[*place * outputs + first..][..B].copy_from_slice(&sums);
    }
}

/// The error at the input of a layer.
pub(super) struct Back<'a> {
    pub(super) windows: &'a Windows,
    pub(super) weights: Weights<'a>,
    pub(super) error: &'a [Lanes],
    pub(super) input: &'a mut [Lanes],
}

impl Loops for Back<'_> {
    #[inline(always)]
    fn run(mut self) {
        let inputs = self.weights.channels.0;
        for pixel in 0..self.windows.pixels.len() {
            in_blocks(inputs, Pixel(&mut self, pixel));
        }
    }
}

/// One pixel of the error.
struct Pixel<'w, 'a>(&'w mut Back<'a>, usize);

impl Blocks for Pixel<'_, '_> {
    #[inline(always)]
    fn block<const B: usize>(&mut self, first: usize) {
        let Self(layer, pixel) = self;
        let (inputs, outputs) = layer.weights.channels;
        let mut sums = [Lanes::ZERO; B];
        for sight in &layer.windows.pixels[*pixel] {
            let error = &layer.error[sight.place * outputs..][..outputs];
            let rows: [&[Dual]; B] = array::from_fn(|k| {
                &layer.weights.numbers[layer.weights.at(sight.cell, first + k, 0)..][..outputs]
            });
            for (channel, error) in error.iter().enumerate() {
                for (sum, row) in sums.iter_mut().zip(rows) {
                    sum.add_product(error, row[channel]);
                }
            }
        }
        layer.input[*pixel * inputs + first..][..B].copy_from_slice(&sums);
    }
}

/// Adds, for every weight, how its gradient changes along the direction, summed over images.
pub(super) struct Slopes<'a> {
    pub(super) windows: &'a Windows,
    pub(super) channels: (usize, usize),
    pub(super) input: &'a [Lanes],
    pub(super) error: &'a [Lanes],
    pub(super) weights: &'a mut [f64],
    pub(super) biases: &'a mut [f64],
}

impl Loops for Slopes<'_> {
    #[inline(always)]
    fn run(mut self) {
        let (inputs, outputs) = self.channels;
        for cell in 0..self.windows.cells.len() {
            for input in 0..inputs {
                in_blocks(outputs, Row(&mut self, cell, input));
            }
        }
        for error in self.error.chunks_exact(outputs) {
            for (bias, error) in self.biases.iter_mut().zip(error) {
                *bias += total(&error.slope);
            }
        }
    }
}

/// Weights of one cell and input channel.
struct Row<'w, 'a>(&'w mut Slopes<'a>, usize, usize);

impl Blocks for Row<'_, '_> {
    #[inline(always)]
    fn block<const B: usize>(&mut self, first: usize) {
        let Self(layer, cell, input) = self;
        let (inputs, outputs) = layer.channels;
        let mut sums = [[0.0; LANES]; B];
        for sight in &layer.windows.cells[*cell] {
            let x = &layer.input[sight.pixel * inputs + *input];
            let errors = &layer.error[sight.place * outputs + first..][..B];
            for (sum, error) in sums.iter_mut().zip(errors) {
                add_slope(sum, x, error);
            }
        }
        let at = (*cell * inputs + *input) * outputs + first;
        for (slope, sum) in layer.weights[at..][..B].iter_mut().zip(&sums) {
            *slope += total(sum);
        }
    }
}

/// Over all images, by halves.
#[inline(always)]
fn total(lane: &Lane) -> f64 {
    let [a, b, c, d, e, f, g, h] = *lane;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}
