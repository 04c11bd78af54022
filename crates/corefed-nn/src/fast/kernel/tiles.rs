//! The transforms of Winograd's method for tiles of 2x2 outputs.
//!
//! No closures: vectors must not leave functions that are compiled for them.

use pulp::{Simd, WithSimd};

use super::Row;

/// A small matrix that is multiplied from both sides.
trait Side<const IN: usize, const OUT: usize> {
    /// The product with a column.
    fn apply<S: Simd>(simd: S, column: [S::f32s; IN]) -> [S::f32s; OUT];
}

#[inline(always)]
fn both<S: Simd, M: Side<IN, OUT>, const IN: usize, const OUT: usize>(
    simd: S,
    matrix: [[S::f32s; IN]; IN],
) -> [[S::f32s; OUT]; OUT] {
    let zero = simd.splat_f32s(0.0);
    let mut half = [[zero; IN]; OUT];
    for j in 0..IN {
        let mut column = [zero; IN];
        for i in 0..IN {
            column[i] = matrix[i][j];
        }
        let column = M::apply(simd, column);
        for i in 0..OUT {
            half[i][j] = column[i];
        }
    }
    let mut all = [[zero; OUT]; OUT];
    for i in 0..OUT {
        all[i] = M::apply(simd, half[i]);
    }
    all
}

/// Square blocks of pixels, or matrices one after another.
#[inline(always)]
fn gather<S: Simd, const N: usize>(
    simd: S,
    numbers: &[f32],
    (down, right): (usize, usize),
) -> [[S::f32s; N]; N] {
    let mut block = [[simd.splat_f32s(0.0); N]; N];
    for i in 0..N {
        for j in 0..N {
            block[i][j] = load::<S>(&numbers[i * down + j * right..]);
        }
    }
    block
}

#[inline(always)]
fn scatter<S: Simd, const N: usize>(
    block: [[S::f32s; N]; N],
    numbers: &mut [f32],
    (down, right): (usize, usize),
) {
    for i in 0..N {
        for j in 0..N {
            store::<S>(&mut numbers[i * down + j * right..], block[i][j]);
        }
    }
}

/// `B'`.
struct Turn;

impl Side<4, 4> for Turn {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [a, b, c, d]: [S::f32s; 4]) -> [S::f32s; 4] {
        [simd.sub_f32s(a, c), simd.add_f32s(b, c), simd.sub_f32s(c, b), simd.sub_f32s(b, d)]
    }
}

/// `A'`.
struct Fold;

impl Side<4, 2> for Fold {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [a, b, c, d]: [S::f32s; 4]) -> [S::f32s; 2] {
        let first = simd.add_f32s(simd.add_f32s(a, b), c);
        [first, simd.sub_f32s(simd.sub_f32s(b, c), d)]
    }
}

/// `A`.
struct Unfold;

impl Side<2, 4> for Unfold {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [a, b]: [S::f32s; 2]) -> [S::f32s; 4] {
        [a, simd.add_f32s(a, b), simd.sub_f32s(a, b), simd.neg_f32s(b)]
    }
}

/// `G`.
struct Widen;

impl Side<3, 4> for Widen {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [a, b, c]: [S::f32s; 3]) -> [S::f32s; 4] {
        let half = simd.splat_f32s(0.5);
        let outer = simd.add_f32s(a, c);
        let plus = simd.mul_f32s(half, simd.add_f32s(outer, b));
        [a, plus, simd.mul_f32s(half, simd.sub_f32s(outer, b)), c]
    }
}

/// `G'`.
struct Narrow;

impl Side<4, 3> for Narrow {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [a, b, c, d]: [S::f32s; 4]) -> [S::f32s; 3] {
        let half = simd.splat_f32s(0.5);
        let mean = simd.mul_f32s(half, simd.add_f32s(b, c));
        let bend = simd.mul_f32s(half, simd.sub_f32s(b, c));
        [simd.add_f32s(a, mean), bend, simd.add_f32s(mean, d)]
    }
}

/// Numbers from a tile to the next, and from one of its 16 stretches to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strides {
    pub(crate) tile: usize,
    pub(crate) stretch: usize,
}

/// Tiles of 4x4 pixels, each 16 stretches of the output.
pub(crate) struct ToTiles<'a> {
    pub(crate) input: &'a [f32],
    /// Where tiles begin in the input.
    pub(crate) corners: &'a [Row],
    /// Numbers from a row of pixels to the next.
    pub(crate) row: usize,
    pub(crate) channels: usize,
    pub(crate) out: &'a mut [f32],
    pub(crate) strides: Strides,
}

impl WithSimd for ToTiles<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { input, corners, row, channels, out, strides } = self;
        for (tile, corner) in corners.iter().enumerate() {
            let out = &mut out[tile * strides.tile..];
            for c in (0..channels).step_by(S::F32_LANES) {
                let pixels = &input[corner.from + c..];
                let block = gather::<S, 4>(simd, pixels, (row, channels));
                let block = both::<S, Turn, 4, 4>(simd, block);
                let stretch = strides.stretch;
                scatter::<S, 4>(block, &mut out[c..], (4 * stretch, stretch));
            }
        }
    }
}

/// The 2x2 outputs of every tile from its 16 sums.
pub(crate) struct FromTiles<'a> {
    pub(crate) sums: &'a [f32],
    pub(crate) strides: Strides,
    /// Where the outputs of tiles begin.
    pub(crate) corners: &'a [Row],
    /// Numbers from a row of pixels to the next.
    pub(crate) row: usize,
    pub(crate) channels: usize,
    pub(crate) out: &'a mut [f32],
}

impl WithSimd for FromTiles<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { sums, strides, corners, row, channels, out } = self;
        for (tile, corner) in corners.iter().enumerate() {
            let sums = &sums[tile * strides.tile..];
            for c in (0..channels).step_by(S::F32_LANES) {
                let stretch = strides.stretch;
                let block = gather::<S, 4>(simd, &sums[c..], (4 * stretch, stretch));
                let block = both::<S, Fold, 4, 2>(simd, block);
                scatter::<S, 2>(block, &mut out[corner.to + c..], (row, channels));
            }
        }
    }
}

/// Nine matrices of a panel become 16.
pub(crate) struct WeightsOfTiles<'a> {
    pub(crate) packed: &'a [f32],
    /// Numbers of one matrix.
    pub(crate) len: usize,
    pub(crate) out: &'a mut [f32],
    /// Numbers from a matrix of the output to the next.
    pub(crate) stride: usize,
}

impl WithSimd for WeightsOfTiles<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { packed, len, out, stride } = self;
        for k in (0..len).step_by(S::F32_LANES) {
            let block = gather::<S, 3>(simd, &packed[k..], (3 * len, len));
            let block = both::<S, Widen, 3, 4>(simd, block);
            scatter::<S, 4>(block, &mut out[k..], (4 * stride, stride));
        }
    }
}

/// Errors of 2x2 places of every tile, as 16 stretches.
pub(crate) struct ErrorsToTiles<'a> {
    pub(crate) errors: &'a [f32],
    /// Where the errors of tiles begin.
    pub(crate) corners: &'a [Row],
    pub(crate) row: usize,
    pub(crate) channels: usize,
    pub(crate) out: &'a mut [f32],
    pub(crate) strides: Strides,
}

impl WithSimd for ErrorsToTiles<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { errors, corners, row, channels, out, strides } = self;
        for (tile, corner) in corners.iter().enumerate() {
            let out = &mut out[tile * strides.tile..];
            for c in (0..channels).step_by(S::F32_LANES) {
                let block = gather::<S, 2>(simd, &errors[corner.from + c..], (row, channels));
                let block = both::<S, Unfold, 2, 4>(simd, block);
                let stretch = strides.stretch;
                scatter::<S, 4>(block, &mut out[c..], (4 * stretch, stretch));
            }
        }
    }
}

/// Sixteen matrices of slopes become nine.
pub(crate) struct SlopesFromTiles<'a> {
    pub(crate) slopes: &'a [f32],
    /// Numbers of one matrix.
    pub(crate) len: usize,
    pub(crate) out: &'a mut [f32],
    /// Whether to add to `out` or to overwrite it.
    pub(crate) add: bool,
}

impl WithSimd for SlopesFromTiles<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { slopes, len, out, add } = self;
        for k in (0..len).step_by(S::F32_LANES) {
            let block = gather::<S, 4>(simd, &slopes[k..], (4 * len, len));
            let mut block = both::<S, Narrow, 4, 3>(simd, block);
            if add {
                let old = gather::<S, 3>(simd, &out[k..], (3 * len, len));
                for i in 0..3 {
                    for j in 0..3 {
                        block[i][j] = simd.add_f32s(old[i][j], block[i][j]);
                    }
                }
            }
            scatter::<S, 3>(block, &mut out[k..], (3 * len, len));
        }
    }
}

#[inline(always)]
fn load<S: Simd>(numbers: &[f32]) -> S::f32s {
    S::as_simd_f32s(&numbers[..S::F32_LANES]).0[0]
}

#[inline(always)]
fn store<S: Simd>(numbers: &mut [f32], value: S::f32s) {
    S::as_mut_simd_f32s(&mut numbers[..S::F32_LANES]).0[0] = value;
}
