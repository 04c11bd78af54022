//! Numbers of several images side by side, each with its derivative along a direction.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use std::array;

use crate::plain::Dual;

/// Images side by side: as many as one AVX-512 vector has room for.
pub(super) const LANES: usize = 8;

/// One number of every image.
pub(super) type Lane = [f64; LANES];

/// The same number of every image, and how it changes along the direction.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Lanes {
    pub(super) value: Lane,
    pub(super) slope: Lane,
}

impl Lanes {
    pub(super) const ZERO: Self = Self { value: [0.0; LANES], slope: [0.0; LANES] };

    /// The same for every image.
    pub(super) fn of(number: Dual) -> Self {
        Self { value: [number.value; LANES], slope: [number.slope; LANES] }
    }

    pub(super) fn of_image(self, lane: usize) -> Dual {
        Dual { value: self.value[lane], slope: self.slope[lane] }
    }

    pub(super) fn set(&mut self, lane: usize, number: Dual) {
        self.value[lane] = number.value;
        self.slope[lane] = number.slope;
    }

    /// Adds a number times a weight.
    #[inline(always)]
    pub(super) fn add_product(&mut self, x: &Self, weight: Dual) {
        for lane in 0..LANES {
            let part = x.slope[lane].mul_add(weight.value, self.slope[lane]);
            self.slope[lane] = x.value[lane].mul_add(weight.slope, part);
            self.value[lane] = x.value[lane].mul_add(weight.value, self.value[lane]);
        }
    }
}

/// Adds the derivative of a product.
#[inline(always)]
pub(super) fn add_slope(sum: &mut Lane, x: &Lanes, y: &Lanes) {
    for (lane, sum) in sum.iter_mut().enumerate() {
        let part = x.slope[lane].mul_add(y.value[lane], *sum);
        *sum = x.value[lane].mul_add(y.slope[lane], part);
    }
}

/// Images of a batch side by side, and how many they are; the last ones again where they are too few.
pub(super) fn side_by_side(pixels: &[f32], numbers: usize) -> (Vec<Lanes>, usize) {
    let images = pixels.len() / numbers;
    let together = (0..numbers).map(|at| Lanes {
        value: array::from_fn(|lane| {
            f64::from(pixels[lane.min(images.saturating_sub(1)) * numbers + at])
        }),
        slope: [0.0; LANES],
    });
    (together.collect(), images)
}
