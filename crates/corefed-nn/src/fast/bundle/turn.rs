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

/// Images that are turned together: as many numbers as 128 bits have.
const QUAD: usize = 4;

struct To<'a> {
    images: &'a [f32],
    stretches: Stretches,
    count: usize,
    bundle: &'a mut [f32],
}

impl WithSimd for To<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { images, stretches, count, bundle } = self;
        let lanes = S::F32_LANES;
        let Stretches { image, first, step, each, .. } = stretches;
        let quads = if lanes < QUAD { 0 } else { count / QUAD * QUAD };
        let bundle = bundle.chunks_exact_mut(each * lanes).take(stretches.count);
        for (index, bundle) in bundle.enumerate() {
            if count < lanes {
                bundle.fill(0.0);
            }
            for (block, bundle) in bundle.chunks_mut(BLOCK * lanes).enumerate() {
                let at = first + index * step + block * BLOCK;
                for lane in (0..quads).step_by(QUAD) {
                    for (k, out) in bundle.chunks_exact_mut(lanes * lanes).enumerate() {
                        let mut square = [simd.splat_f32s(0.0); QUAD];
                        for (i, row) in square.iter_mut().enumerate() {
                            let numbers = &images[(lane + i) * image + at + k * lanes..][..lanes];
                            *row = S::as_simd_f32s(numbers).0[0];
                        }
                        put_quads::<S>(simd.deinterleave_shfl_f32s(square), &mut out[lane..]);
                    }
                }
                let whole = bundle.len() / (lanes * lanes) * lanes;
                for lane in 0..count {
                    let skip = if lane < quads { whole } else { 0 };
                    let numbers = &images[lane * image + at + skip..];
                    let bundle = bundle[skip * lanes..].chunks_exact_mut(lanes);
                    for (out, number) in bundle.zip(numbers) {
                        out[lane] = *number;
                    }
                }
            }
        }
    }
}

/// Every 128 bits of vector `j` are four images' numbers `j`, `j + 4`, `j + 8`, ...
#[inline(always)]
fn put_quads<S: Simd>(square: [S::f32s; QUAD], out: &mut [f32]) {
    let lanes = S::F32_LANES;
    let mut numbers = [[0.0; 16]; QUAD];
    for (j, (numbers, vector)) in numbers.iter_mut().zip(square).enumerate() {
        S::as_mut_simd_f32s(&mut numbers[..lanes]).0[0] = vector;
        for (q, quad) in numbers[..lanes].as_chunks::<QUAD>().0.iter().enumerate() {
            out[(QUAD * q + j) * lanes..][..QUAD].copy_from_slice(quad);
        }
    }
}

#[inline(always)]
fn take_quads<S: Simd>(simd: S, bundle: &[f32]) -> [S::f32s; QUAD] {
    let lanes = S::F32_LANES;
    let mut square = [simd.splat_f32s(0.0); QUAD];
    for (j, vector) in square.iter_mut().enumerate() {
        let mut numbers = [0.0; 16];
        for (q, quad) in numbers[..lanes].as_chunks_mut::<QUAD>().0.iter_mut().enumerate() {
            quad.copy_from_slice(&bundle[(QUAD * q + j) * lanes..][..QUAD]);
        }
        *vector = S::as_simd_f32s(&numbers[..lanes]).0[0];
    }
    square
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
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { images, stretches, count, bundle } = self;
        let lanes = S::F32_LANES;
        let Stretches { image, first, step, each, .. } = stretches;
        let quads = if lanes < QUAD { 0 } else { count / QUAD * QUAD };
        for (index, bundle) in bundle.chunks_exact(each * lanes).take(stretches.count).enumerate() {
            for (block, bundle) in bundle.chunks(BLOCK * lanes).enumerate() {
                let at = first + index * step + block * BLOCK;
                for lane in (0..quads).step_by(QUAD) {
                    for (k, bundle) in bundle.chunks_exact(lanes * lanes).enumerate() {
                        let square = take_quads::<S>(simd, &bundle[lane..]);
                        let square = simd.interleave_shfl_f32s(square);
                        for (i, vector) in square.into_iter().enumerate() {
                            let at = (lane + i) * image + at + k * lanes;
                            S::as_mut_simd_f32s(&mut images[at..][..lanes]).0[0] = vector;
                        }
                    }
                }
                let whole = bundle.len() / (lanes * lanes) * lanes;
                for lane in 0..count {
                    let skip = if lane < quads { whole } else { 0 };
                    let numbers = &mut images[lane * image + at + skip..];
                    let bundle = bundle[skip * lanes..].chunks_exact(lanes);
                    for (number, vector) in numbers.iter_mut().zip(bundle) {
                        *number = vector[lane];
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;
    use crate::fast::kernel::panels;
    use crate::fast::tests::architectures;

    #[test]
    fn bundles_hold_every_image_in_its_lane_and_give_it_back() {
        for (arch, border) in architectures().into_iter().flat_map(|arch| [(arch, 0), (arch, 2)]) {
            let layout = Layout::new(Shape { height: 9, width: 13, channels: 5 }, border);
            let (lanes, inner) = (panels(arch, 1).lanes, Stretches::inner(layout));
            let images: Vec<f32> = (0..lanes * layout.image).map(|k| k as f32).collect();
            for count in 1..=lanes {
                let mut bundle = vec![f32::NAN; inner.len() * lanes];
                to_bundle(arch, (&images, inner, count), &mut bundle);
                let rows = layout.rows(1).flat_map(|row| row..row + layout.row_len());
                for (number, at) in rows.enumerate() {
                    for lane in 0..lanes {
                        let there =
                            if lane < count { images[lane * layout.image + at] } else { 0.0 };
                        assert_eq!(bundle[number * lanes + lane].to_bits(), there.to_bits());
                    }
                }
                let mut back = vec![-1.0; images.len()];
                from_bundle(arch, &bundle, (&mut back, inner, count));
                for row in layout.rows(count) {
                    assert_eq!(back[row..][..layout.row_len()], images[row..][..layout.row_len()]);
                }
                assert_eq!(back.iter().filter(|x| **x >= 0.0).count(), count * inner.len());
            }
        }
    }
}
