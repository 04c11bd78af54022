//! Small grey images of shapes, drawn by code: networks can be tried with no download.
//!
//! Place, size, brightness and contrast vary from image to image and noise lies over all of
//! it, so that no single pixel gives the class away and a linear model is far from perfect.

use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use crate::Images;
use corefed_core::Seed;
use corefed_core::{normal, uniform};

/// Pixels of a side.
const SIDE: usize = 16;
/// Points per side of a pixel at which a shape is looked at, for soft edges.
const POINTS: usize = 3;
/// Standard deviation of the noise, in levels of grey.
const NOISE: f64 = 10.0;
/// Number of shapes.
const CLASSES: u8 = 6;
/// Most images: a quarter of a gigabyte.
const MOST: usize = 1_000_000;

/// What an image shows; the label is the position in [`Shape::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A filled circle.
    Disk,
    /// A circle with a hole.
    Ring,
    /// A filled square.
    Square,
    /// Two bars, upright and level.
    Cross,
    /// Level stripes within a square.
    Stripes,
    /// A filled triangle on its base.
    Triangle,
}

impl Shape {
    /// All shapes in the order of their labels.
    pub const ALL: [Self; CLASSES as usize] =
        [Self::Disk, Self::Ring, Self::Square, Self::Cross, Self::Stripes, Self::Triangle];

    /// The name of the class.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Disk => "disk",
            Self::Ring => "ring",
            Self::Square => "square",
            Self::Cross => "cross",
            Self::Stripes => "stripes",
            Self::Triangle => "triangle",
        }
    }

    /// Whether a point belongs to the shape, whose outline fits into `-1..=1` on both axes;
    /// `y` points down.
    fn covers(self, x: f64, y: f64) -> bool {
        let square = x.abs() <= 0.85 && y.abs() <= 0.85;
        match self {
            Self::Disk => x * x + y * y <= 1.0,
            Self::Ring => (0.3..=1.0).contains(&(x * x + y * y)),
            Self::Square => square,
            Self::Cross => x.abs().max(y.abs()) <= 1.0 && x.abs().min(y.abs()) <= 0.28,
            // Three stripes and the two gaps between them, each a fifth of the height.
            Self::Stripes => square && ((y + 0.85) / 0.34).rem_euclid(2.0) < 1.0,
            Self::Triangle => (-0.9..=0.8).contains(&y) && x.abs() <= (y + 0.9) / 1.7,
        }
    }
}

/// Why no images were drawn.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShapesError {
    /// None, or more than memory should hold.
    #[error("the number of images must be from `1` to `{MOST}`, not `{count}`")]
    Count {
        /// Images asked for.
        count: usize,
    },
}

impl ShapesError {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let Self::Count { .. } = self;
        Some("6000 images are a thousand of each shape".to_owned())
    }
}

/// Draws `count` images of 16 x 16 pixels in one channel; the shapes take turns.
///
/// Each image has a seed of its own, so the first images are the same however many follow.
pub(crate) fn draw_shapes(count: usize, seed: Seed) -> Result<Images, ShapesError> {
    let refused = ShapesError::Count { count };
    if !(1..=MOST).contains(&count) {
        return Err(refused);
    }
    let seed = seed.derive("shapes");
    let mut pixels = Vec::with_capacity(count * SIDE * SIDE);
    let mut labels = Vec::with_capacity(count);
    for (index, (label, shape)) in (0..).zip((0_u8..).zip(Shape::ALL).cycle()).take(count) {
        draw(shape, &mut pixels, &mut seed.derive_index(index).rng());
        labels.push(label);
    }
    // The counts agree by construction.
    Images::new(SIDE, SIDE, 1, pixels, labels, CLASSES).map_err(|_| refused)
}

fn draw(shape: Shape, pixels: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    let mut between = |low: f64, high: f64| low + (high - low) * uniform(rng);
    let size = between(4.0, 7.0);
    let half = SIDE as f64 / 2.0;
    // The shape stays inside the image.
    let [x0, y0] = [(); 2].map(|()| between(size, 2.0 * half - size));
    let ground = between(20.0, 120.0);
    let contrast = between(50.0, 120.0);
    for pixel in 0..SIDE * SIDE {
        let (column, row) = ((pixel % SIDE) as f64, (pixel / SIDE) as f64);
        let inside = (0..POINTS * POINTS).filter(|point| {
            let offset = |step: usize| (step as f64 + 0.5) / POINTS as f64;
            let x = (column + offset(point % POINTS) - x0) / size;
            let y = (row + offset(point / POINTS) - y0) / size;
            shape.covers(x, y)
        });
        let share = inside.count() as f64 / (POINTS * POINTS) as f64;
        pixels.push(grey(ground + contrast * share + NOISE * normal(rng)));
    }
}

/// A level of grey, cut to what a byte holds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cut to 0..=255")]
fn grey(level: f64) -> u8 {
    level.round().clamp(0.0, 255.0) as u8
}

#[cfg(test)]
mod tests;
