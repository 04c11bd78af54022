//! Layers with weights: forwards, back to their input, and the slopes of their weights.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use std::array;

use super::lanes::{LANES, Lane, Lanes, add_slope};
use super::windows::Windows;
use crate::fast::Loops;
use crate::plain::Dual;

/// Sums that are kept in registers at once.
const BLOCK: usize = 4;

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
        let whole = outputs - outputs % BLOCK;
        for place in 0..self.windows.places.len() {
            for first in (0..whole).step_by(BLOCK) {
                self.block::<BLOCK>(place, first);
            }
            for first in whole..outputs {
                self.block::<1>(place, first);
            }
        }
    }
}

impl Forward<'_> {
    #[inline(always)]
    fn block<const B: usize>(&mut self, place: usize, first: usize) {
        let (inputs, outputs) = self.weights.channels;
        let mut sums: [Lanes; B] = array::from_fn(|k| Lanes::of(self.biases[first + k]));
        for sight in &self.windows.places[place] {
            let pixel = &self.input[sight.pixel * inputs..][..inputs];
            for (channel, x) in pixel.iter().enumerate() {
                let weights = &self.weights.numbers[self.weights.at(sight.cell, channel, first)..];
                for (sum, weight) in sums.iter_mut().zip(&weights[..B]) {
                    sum.add_product(x, *weight);
                }
            }
        }
        self.output[place * outputs + first..][..B].copy_from_slice(&sums);
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
        let whole = inputs - inputs % BLOCK;
        for pixel in 0..self.windows.pixels.len() {
            for first in (0..whole).step_by(BLOCK) {
                self.block::<BLOCK>(pixel, first);
            }
            for first in whole..inputs {
                self.block::<1>(pixel, first);
            }
        }
    }
}

impl Back<'_> {
    #[inline(always)]
    fn block<const B: usize>(&mut self, pixel: usize, first: usize) {
        let (inputs, outputs) = self.weights.channels;
        let mut sums = [Lanes::ZERO; B];
        for sight in &self.windows.pixels[pixel] {
            let error = &self.error[sight.place * outputs..][..outputs];
            let rows: [&[Dual]; B] = array::from_fn(|k| {
                &self.weights.numbers[self.weights.at(sight.cell, first + k, 0)..][..outputs]
            });
            for (channel, error) in error.iter().enumerate() {
                for (sum, row) in sums.iter_mut().zip(rows) {
                    sum.add_product(error, row[channel]);
                }
            }
        }
        self.input[pixel * inputs + first..][..B].copy_from_slice(&sums);
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
        let whole = outputs - outputs % BLOCK;
        for cell in 0..self.windows.cells.len() {
            for input in 0..inputs {
                for first in (0..whole).step_by(BLOCK) {
                    self.block::<BLOCK>(cell, input, first);
                }
                for first in whole..outputs {
                    self.block::<1>(cell, input, first);
                }
            }
        }
        for error in self.error.chunks_exact(outputs) {
            for (bias, error) in self.biases.iter_mut().zip(error) {
                *bias += total(&error.slope);
            }
        }
    }
}

impl Slopes<'_> {
    #[inline(always)]
    fn block<const B: usize>(&mut self, cell: usize, input: usize, first: usize) {
        let (inputs, outputs) = self.channels;
        let mut sums = [[0.0; LANES]; B];
        for sight in &self.windows.cells[cell] {
            let x = &self.input[sight.pixel * inputs + input];
            let errors = &self.error[sight.place * outputs + first..][..B];
            for (sum, error) in sums.iter_mut().zip(errors) {
                add_slope(sum, x, error);
            }
        }
        let at = (cell * inputs + input) * outputs + first;
        for (slope, sum) in self.weights[at..][..B].iter_mut().zip(&sums) {
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
