//! Images as agents own them, and as a network takes them.

use std::ops::Range;

#[cfg(feature = "cuda")]
use corefed_cuda::{CudaError, Engine, Images, Pixels as DevicePixels};

/// Images, one after another, pixel by pixel and channel by channel.
#[derive(Clone, Debug)]
pub struct Pixels {
    store: Store,
    /// Numbers of one image.
    size: usize,
    channels: Vec<Channel>,
}

#[derive(Clone, Debug)]
enum Store {
    /// As published.
    Bytes(Vec<u8>),
    /// In [0, 1] before anything was done to them; for images made worse on purpose.
    Numbers(Vec<f32>),
}

/// What is done to the numbers of a channel, which are in [0, 1] before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Channel {
    /// Taken away.
    pub mean: f32,
    /// Divided by.
    pub deviation: f32,
}

impl Channel {
    /// Numbers stay as they are.
    pub const UNCHANGED: Self = Self { mean: 0.0, deviation: 1.0 };

    /// Means and deviations over all pixels; a channel that is constant is only shifted.
    #[must_use]
    pub fn standard(bytes: &[u8], channels: usize) -> Vec<Self> {
        let mut counts = vec![[0_u64; 256]; channels];
        for pixel in bytes.chunks_exact(channels) {
            for (count, byte) in counts.iter_mut().zip(pixel) {
                count[usize::from(*byte)] += 1;
            }
        }
        counts.iter().map(Self::of_counts).collect()
    }

    #[expect(clippy::cast_possible_truncation, reason = "pixels are single precision")]
    fn of_counts(counts: &[u64; 256]) -> Self {
        let total: u64 = counts.iter().sum();
        let mean_of = |value: &dyn Fn(f64) -> f64| -> f64 {
            let sum: f64 = counts
                .iter()
                .zip(0..=u8::MAX)
                .map(|(n, b)| *n as f64 * value(f64::from(b) / 255.0))
                .sum();
            sum / total.max(1) as f64
        };
        let mean = mean_of(&|x| x);
        let deviation = mean_of(&|x| (x - mean) * (x - mean)).sqrt();
        // Of a constant channel only rounding is left, which must not be blown up.
        let deviation = if deviation > 1e-9 { deviation } else { 1.0 };
        Self { mean: mean as f32, deviation: deviation as f32 }
    }
}

impl Pixels {
    /// Images as published; one entry of `channels` for every channel.
    #[must_use]
    pub fn bytes(bytes: Vec<u8>, size: usize, channels: Vec<Channel>) -> Self {
        Self { store: Store::Bytes(bytes), size, channels }
    }

    /// Images whose numbers are no longer bytes.
    #[must_use]
    pub fn numbers(numbers: Vec<f32>, size: usize, channels: Vec<Channel>) -> Self {
        Self { store: Store::Numbers(numbers), size, channels }
    }

    /// How many images there are.
    #[must_use]
    pub fn len(&self) -> usize {
        let numbers = match &self.store {
            Store::Bytes(bytes) => bytes.len(),
            Store::Numbers(numbers) => numbers.len(),
        };
        numbers / self.size
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes some images as the network takes them, one after another.
    pub(super) fn gather(&self, images: impl Iterator<Item = usize>, out: &mut Vec<f32>) {
        out.clear();
        for image in images {
            self.push(image * self.size..(image + 1) * self.size, out);
        }
    }

    fn push(&self, numbers: Range<usize>, out: &mut Vec<f32>) {
        let channels = self.channels.len();
        let ready = |(k, x): (usize, f32)| {
            let channel = self.channels[k % channels];
            (x - channel.mean) / channel.deviation
        };
        match &self.store {
            Store::Bytes(bytes) => {
                let unit = bytes[numbers].iter().map(|byte| f32::from(*byte) / 255.0);
                out.extend(unit.enumerate().map(ready));
            }
            Store::Numbers(all) => out.extend(all[numbers].iter().copied().enumerate().map(ready)),
        }
    }

    /// Moves everything to a device, as the network takes it.
    #[cfg(feature = "cuda")]
    pub(super) fn upload(&self, engine: &Engine, labels: &[u8]) -> Result<Images, CudaError> {
        match &self.store {
            Store::Bytes(bytes) => {
                let scale: Vec<f32> =
                    self.channels.iter().map(|c| 1.0 / (255.0 * c.deviation)).collect();
                let shift: Vec<f32> = self.channels.iter().map(|c| -c.mean / c.deviation).collect();
                let (scale, shift) = (scale.as_slice(), shift.as_slice());
                engine.upload(DevicePixels::Bytes { bytes, scale, shift }, labels)
            }
            Store::Numbers(_) => engine.upload(DevicePixels::Floats(&self.ready()), labels),
        }
    }

    /// Everything, as the network takes it.
    #[must_use]
    pub fn ready(&self) -> Vec<f32> {
        let mut out = Vec::with_capacity(self.len() * self.size);
        self.gather(0..self.len(), &mut out);
        out
    }

    /// The longest image as the network takes it, in Euclidean length.
    #[must_use]
    pub fn longest(&self) -> f64 {
        let mut image = Vec::with_capacity(self.size);
        let length = |k: usize| {
            self.gather(std::iter::once(k), &mut image);
            image.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt()
        };
        (0..self.len()).map(length).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_brought_to_mean_zero_and_deviation_one() {
        // Two pixels of two channels: 0 and 255, and 51 twice, which only loses its mean.
        let bytes = vec![0, 51, 255, 51];
        let channels = Channel::standard(&bytes, 2);
        assert_eq!(channels[0], Channel { mean: 0.5, deviation: 0.5 });
        assert!((channels[1].mean - 0.2).abs() < 1e-6 && channels[1].deviation > 0.0);
        let pixels = Pixels::bytes(bytes, 4, channels);
        for (found, expected) in pixels.ready().iter().zip([-1.0, 0.0, 1.0, 0.0]) {
            assert!((found - expected).abs() < 1e-6, "{found} and {expected}");
        }
        assert!((pixels.longest() - 2_f64.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn images_are_gathered_in_the_order_asked() {
        let pixels = Pixels::numbers(vec![0.0, 1.0, 2.0], 1, vec![Channel::UNCHANGED]);
        let mut out = Vec::new();
        pixels.gather([2, 0].into_iter(), &mut out);
        assert_eq!(out, [2.0, 0.0]);
    }
}
