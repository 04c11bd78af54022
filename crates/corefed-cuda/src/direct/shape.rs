//! Sizes of direct kernels that follow from a layer's shape.

use crate::kind::Kind;
use crate::product::Product;
use crate::vectors::vector;

/// Banks of shared memory.
const BANKS: usize = 32;

/// Warps of a block that makes gradients of weights.
const WARPS: usize = 20;

/// Warps of a block that makes gradients of inputs.
const FRAMES: usize = 4;

/// Taps of a window: a warp has them all.
pub(super) const TAPS: usize = 32;

/// Pooled places and, at most, channels that one thread makes.
pub(super) const SHARES: [(usize, usize); 4] = [(2, 8), (1, 8), (2, 4), (1, 4)];

/// Bytes of shared memory that a block may take, so that two are resident.
pub(super) const SHARED: usize = 100 << 10;

/// What follows from the layer alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Floats between two lines of an image in shared memory, and between two channels.
    pub(super) line: usize,
    pub(super) plane: usize,
    /// Floats of an image.
    pub(super) image: usize,
    /// Taps and channels of a window.
    pub(super) depth: usize,
    /// Channels that are made.
    pub(super) outputs: usize,
    /// Pooled places.
    pub(super) places: usize,
    /// Channels whose taps a warp has at once.
    pub(super) planes: usize,
    /// Pooled places and channels of one thread on the way forward, and threads for an image.
    pub(super) across: usize,
    pub(super) each: usize,
    pub(super) items: usize,
}

impl Shape {
    pub(super) fn new(product: &Product, kind: Kind, (across, most): (usize, usize)) -> Self {
        let (size, padding) = (product.window.size, 2 * product.window.padding);
        let (height, width) = (product.input.height + padding, product.input.width + padding);
        let (made, channels) = (product.made(), product.input.channels);
        let outputs = product.output.channels;
        let taps = size * size;
        let planes = TAPS / taps;
        let each = outputs.div_ceil(outputs.div_ceil(most));
        let turns = made.width.div_ceil(across);
        let (line, plane) = if kind == Kind::Forward {
            // A thread reads vectors of four.
            let read = 2 * across * (turns - 1) + (2 * across + size - 1).next_multiple_of(4);
            let line = width.max(read).next_multiple_of(4);
            (line, line * height)
        } else {
            apart(size, planes.min(channels), width, height)
        };
        Self {
            line,
            plane,
            image: channels * plane,
            depth: taps * channels,
            outputs,
            places: made.height * made.width,
            planes,
            across,
            each,
            items: made.height * turns * outputs.div_ceil(each),
        }
    }

    /// Warps that have different channels, and sets of them that have different images, for weights.
    pub(super) fn warps(self, group: usize) -> (usize, usize) {
        let channels = self.outputs.min(16);
        (channels, (WARPS / channels).clamp(1, group.max(1)))
    }

    pub(super) fn threads(self, kind: Kind, group: usize) -> usize {
        match kind {
            Kind::Forward => (self.items * group).next_multiple_of(32).min(512),
            Kind::Input => 32 * self.outputs.min(FRAMES),
            Kind::Weight => {
                let (channels, sets) = self.warps(group);
                32 * channels * sets
            }
        }
    }

    /// Cycles of the way forward, roughly: a multiprocessor issues four instructions in a cycle and reads shared memory
    /// once, and a warp alone issues none in some.
    pub(super) fn cycles(
        self,
        product: &Product,
        group: usize,
        blocks: usize,
        processors: usize,
    ) -> usize {
        let (size, channels) = (product.window.size, product.input.channels);
        let taps = size * size;
        let span = 2 * self.across + size - 1;
        let reads = taps * self.each / vector(self.each) + (size + 1) * span;
        let issued = taps * 4 * self.across * self.each + reads;
        let threads = self.threads(Kind::Forward, group);
        let turns = (self.items * group).div_ceil(threads);
        let warps = blocks.div_ceil(processors) * threads / 32;
        let busy = channels * (issued / 4).max(reads);
        let alone = channels * issued * 5 / 4;
        turns * (warps * busy).max(alone)
    }

    /// Floats of a gradient of weights and biases.
    pub(super) fn tile(self) -> usize {
        (self.depth + 1) * self.outputs
    }

    /// Bytes of shared memory; the kernels count the same.
    pub(super) fn shared(self, kind: Kind, group: usize) -> usize {
        let warps = self.threads(kind, group) / 32;
        // Pairs, read two at once or one ahead.
        let pairs = if kind == Kind::Input { self.places + 1 } else { self.places };
        let list = pairs.div_ceil(2) * 4;
        let four = |floats: usize| floats.next_multiple_of(4);
        4 * match kind {
            Kind::Forward => {
                four(self.depth * self.outputs.next_multiple_of(self.each)) + group * self.image
            }
            Kind::Input => warps * (four(self.image) + list) + four(self.depth * self.outputs),
            Kind::Weight => {
                let images = four(group * self.image + self.planes * self.plane);
                (images + warps * list).max(four(self.tile()))
            }
        }
    }
}

/// Floats between lines and between planes, so that all taps of some planes are in different banks.
fn apart(size: usize, planes: usize, width: usize, height: usize) -> (usize, usize) {
    let free = |line: usize, plane: usize, planes: usize| {
        let mut seen = [false; BANKS];
        let mut places = (0..planes * size * size).map(|at| {
            let (tap, channel) = (at % (size * size), at / (size * size));
            (channel * plane + tap / size * line + tap % size) % BANKS
        });
        places.all(|bank| !std::mem::replace(&mut seen[bank], true))
    };
    // A line of `size` more than a multiple of 32 always does.
    let found = (width..width + BANKS).filter(|line| free(*line, 0, 1)).find_map(|line| {
        let least = line * height;
        let mut wide = least..least + BANKS;
        wide.find(|plane| free(line, *plane, planes)).map(|plane| (line, plane))
    });
    found.unwrap_or((width, width * height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taps_of_a_window_are_in_different_banks() {
        for (size, planes) in [(1, 32), (2, 8), (3, 3), (3, 1), (4, 2), (5, 1)] {
            for width in 5..40 {
                let (line, plane) = apart(size, planes, width, 7);
                assert!(line >= width && plane >= 7 * line);
                let mut banks: Vec<usize> = (0..planes * size * size)
                    .map(|at| {
                        let (tap, channel) = (at % (size * size), at / (size * size));
                        (channel * plane + tap / size * line + tap % size) % BANKS
                    })
                    .collect();
                banks.sort_unstable();
                banks.dedup();
                assert_eq!(banks.len(), planes * size * size, "{size} {planes} {width}");
            }
        }
    }
}
