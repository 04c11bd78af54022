//! Pools that are not fused with a convolution.

use super::layout::Layout;
use crate::Window;

/// The largest number of each window.
#[derive(Clone, Debug)]
pub(crate) struct MaxPool {
    pub(crate) window: Window,
    /// Where the winners of all images are, in an image without borders.
    winners: Vec<u32>,
}

impl MaxPool {
    pub(crate) fn new(window: Window, output: Layout, batch: usize) -> Self {
        Self { window, winners: vec![0; batch * output.shape.len()] }
    }

    pub(crate) fn forward(
        &mut self,
        (input, from): (&[f32], Layout),
        (out, to): (&mut [f32], Layout),
        images: usize,
    ) {
        let channels = to.shape.channels;
        let plain = Layout::new(from.shape, 0);
        let mut winners = self.winners.chunks_exact_mut(channels);
        for image in 0..images {
            let input = &input[image * from.image..];
            let out = &mut out[image * to.image..];
            for ((y, x), winners) in places(to).zip(&mut winners) {
                let out = &mut out[to.at(y, x)..][..channels];
                for (index, (row, column)) in cells(self.window, y, x).enumerate() {
                    let rivals = &input[from.at(row, column)..][..channels];
                    let at = plain.at(row, column);
                    for (c, (&rival, (best, winner))) in
                        rivals.iter().zip(out.iter_mut().zip(&mut *winners)).enumerate()
                    {
                        if index == 0 || rival > *best {
                            *best = rival;
                            // Images have fewer than 2^32 numbers: they are read into memory.
                            *winner = u32::try_from(at + c).unwrap_or(u32::MAX);
                        }
                    }
                }
            }
        }
    }

    pub(crate) fn backward(
        &self,
        (error, outer): (&[f32], Layout),
        (before, inner): (&mut [f32], Layout),
        images: usize,
    ) {
        before[..images * inner.image].fill(0.0);
        let len = outer.shape.len();
        for (image, winners) in self.winners.chunks_exact(len).take(images).enumerate() {
            let before = &mut before[image * inner.image..];
            for (winner, error) in winners.iter().zip(&error[image * outer.image..]) {
                before[*winner as usize] += error;
            }
        }
    }
}

/// The mean of each window.
#[derive(Clone, Debug)]
pub(crate) struct AvgPool {
    pub(crate) window: Window,
}

impl AvgPool {
    fn share(&self) -> f32 {
        1.0 / (self.window.size * self.window.size) as f32
    }

    pub(crate) fn forward(
        &self,
        (input, from): (&[f32], Layout),
        (out, to): (&mut [f32], Layout),
        images: usize,
    ) {
        let channels = to.shape.channels;
        for image in 0..images {
            let input = &input[image * from.image..];
            let out = &mut out[image * to.image..];
            for (y, x) in places(to) {
                let out = &mut out[to.at(y, x)..][..channels];
                out.fill(0.0);
                for (row, column) in cells(self.window, y, x) {
                    for (out, x) in out.iter_mut().zip(&input[from.at(row, column)..]) {
                        *out += x;
                    }
                }
                for out in out {
                    *out *= self.share();
                }
            }
        }
    }

    pub(crate) fn backward(
        &self,
        (error, outer): (&[f32], Layout),
        (before, inner): (&mut [f32], Layout),
        images: usize,
    ) {
        before[..images * inner.image].fill(0.0);
        let channels = outer.shape.channels;
        for image in 0..images {
            let before = &mut before[image * inner.image..];
            let error = &error[image * outer.image..];
            for (y, x) in places(outer) {
                let error = &error[outer.at(y, x)..][..channels];
                for (row, column) in cells(self.window, y, x) {
                    let before = &mut before[inner.at(row, column)..][..channels];
                    for (before, error) in before.iter_mut().zip(error) {
                        *before += self.share() * error;
                    }
                }
            }
        }
    }
}

fn places(layout: Layout) -> impl Iterator<Item = (usize, usize)> {
    let shape = layout.shape;
    (0..shape.height).flat_map(move |y| (0..shape.width).map(move |x| (y, x)))
}

/// Pixels that a window sees from one place.
fn cells(window: Window, y: usize, x: usize) -> impl Iterator<Item = (usize, usize)> {
    let (row, column) = (y * window.stride, x * window.stride);
    (0..window.size).flat_map(move |dy| (0..window.size).map(move |dx| (row + dy, column + dx)))
}
