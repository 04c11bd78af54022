//! Images to bundles and back: a matrix of images by numbers is turned around.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use pulp::{Arch, Simd, WithSimd};

use crate::fast::layout::Layout;

/// Numbers that are turned at a time: a few cache lines of every image.
const BLOCK: usize = 64;

/// Numbers of an image that go into a bundle, in stretches of equal length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretches {
    /// From an image to the next.
    image: usize,
    /// Where the first begins, and from one to the next.
    first: usize,
    step: usize,
    count: usize,
    each: usize,
}

impl Stretches {
    /// With the border.
    pub(super) fn whole(layout: Layout) -> Self {
        let each = (layout.shape.height + 2 * layout.border) * layout.row;
        Self { image: layout.image, first: 0, step: each, count: 1, each }
    }

    /// Without the border.
    pub(super) fn inner(layout: Layout) -> Self {
        if layout.border == 0 {
            return Self::whole(layout);
        }
        let (each, first) = (layout.row_len(), layout.at(0, 0));
        Self { image: layout.image, first, step: layout.row, count: layout.shape.height, each }
    }

    /// Numbers of an image.
    pub(super) fn len(self) -> usize {
        self.count * self.each
    }
}

/// Brings some images together; where there are too few, zeros.
pub(super) fn to_bundle(
    arch: Arch,
    (images, stretches, count): (&[f32], Stretches, usize),
    bundle: &mut [f32],
) {
    arch.dispatch(To { images, stretches, count, bundle });
}

/// Takes them apart.
pub(super) fn from_bundle(
    arch: Arch,
    bundle: &[f32],
    (images, stretches, count): (&mut [f32], Stretches, usize),
) {
    arch.dispatch(From { images, stretches, count, bundle });
}

struct To<'a> {
    images: &'a [f32],
    stretches: Stretches,
    count: usize,
    bundle: &'a mut [f32],
}

impl WithSimd for To<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { images, stretches, count, bundle } = self;
        let lanes = S::F32_LANES;
        let Stretches { image, first, step, each, .. } = stretches;
        for (index, bundle) in
            bundle.chunks_exact_mut(each * lanes).take(stretches.count).enumerate()
        {
            if count < lanes {
                bundle.fill(0.0);
            }
            for (block, bundle) in bundle.chunks_mut(BLOCK * lanes).enumerate() {
                let at = first + index * step + block * BLOCK;
                for lane in 0..count {
                    let numbers = &images[lane * image + at..];
                    for (out, number) in bundle.chunks_exact_mut(lanes).zip(numbers) {
                        out[lane] = *number;
                    }
                }
            }
        }
    }
}

struct From<'a> {
    images: &'a mut [f32],
    stretches: Stretches,
    count: usize,
    bundle: &'a [f32],
}

impl WithSimd for From<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { images, stretches, count, bundle } = self;
        let lanes = S::F32_LANES;
        let Stretches { image, first, step, each, .. } = stretches;
        for (index, bundle) in bundle.chunks_exact(each * lanes).take(stretches.count).enumerate() {
            for (block, bundle) in bundle.chunks(BLOCK * lanes).enumerate() {
                let at = first + index * step + block * BLOCK;
                for lane in 0..count {
                    let numbers = &mut images[lane * image + at..];
                    for (number, vector) in numbers.iter_mut().zip(bundle.chunks_exact(lanes)) {
                        *number = vector[lane];
                    }
                }
            }
        }
    }
}
