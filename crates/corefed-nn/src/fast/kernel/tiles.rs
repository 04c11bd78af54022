//! The transforms of Winograd's method, for every size of window and tile that is used.

use std::fmt::Debug;

use pulp::{Arch, Simd, WithSimd};

use super::Row;
use super::sides::{Fold, Narrow, Turn, Unfold, Widen};
use super::square::{Side, Square};

/// `OUT` outputs each way of a window of `WINDOW` pixels, from `TILE` pixels.
#[derive(Debug)]
pub(crate) struct Winograd<const OUT: usize, const WINDOW: usize, const TILE: usize>;

/// The transforms of one size. Tiles are as many stretches as they have pixels.
pub(crate) trait Transforms: Debug + Sync {
    /// Outputs of a tile each way.
    fn outputs(&self) -> usize;
    /// Pixels of a window each way.
    fn window(&self) -> usize;
    /// Pixels of a tile each way.
    fn side(&self) -> usize;
    /// Pixels at corners to tiles.
    fn pixels_to_tiles(&self, arch: Arch, work: Cut<'_>);
    /// Errors at corners to tiles.
    fn errors_to_tiles(&self, arch: Arch, work: Cut<'_>);
    /// Sums of tiles to outputs at corners.
    fn sums_to_outputs(&self, arch: Arch, work: Join<'_>);
    /// Matrices of a window to those of a tile.
    fn weights(&self, arch: Arch, work: Matrices<'_>);
    /// Matrices of a tile to those of a window.
    fn slopes(&self, arch: Arch, work: Matrices<'_>);
}

impl<const OUT: usize, const WINDOW: usize, const TILE: usize> Transforms
    for Winograd<OUT, WINDOW, TILE>
where
    Turn: Side<TILE, TILE>,
    Fold: Side<TILE, OUT>,
    Unfold: Side<OUT, TILE>,
    Widen: Side<WINDOW, TILE>,
    Narrow: Side<TILE, WINDOW>,
{
    fn outputs(&self) -> usize {
        OUT
    }

    fn window(&self) -> usize {
        WINDOW
    }

    fn side(&self) -> usize {
        TILE
    }

    fn pixels_to_tiles(&self, arch: Arch, work: Cut<'_>) {
        arch.dispatch(By::<_, Turn, TILE, TILE>(work, Turn));
    }

    fn errors_to_tiles(&self, arch: Arch, work: Cut<'_>) {
        arch.dispatch(By::<_, Unfold, OUT, TILE>(work, Unfold));
    }

    fn sums_to_outputs(&self, arch: Arch, work: Join<'_>) {
        arch.dispatch(By::<_, Fold, TILE, OUT>(work, Fold));
    }

    fn weights(&self, arch: Arch, work: Matrices<'_>) {
        arch.dispatch(By::<_, Widen, WINDOW, TILE>(work, Widen));
    }

    fn slopes(&self, arch: Arch, work: Matrices<'_>) {
        arch.dispatch(By::<_, Narrow, TILE, WINDOW>(work, Narrow));
    }
}

/// Work with a small matrix.
struct By<W, M, const IN: usize, const OUT: usize>(W, M);

/// Numbers from a tile to the next, and from one of its stretches to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strides {
    pub(crate) tile: usize,
    pub(crate) stretch: usize,
}

/// Squares of pixels or errors, transformed, each into one stretch per number.
pub(crate) struct Cut<'a> {
    pub(crate) input: &'a [f32],
    /// Where tiles begin in the input.
    pub(crate) corners: &'a [Row],
    /// Numbers from a row of pixels to the next.
    pub(crate) row: usize,
    pub(crate) channels: usize,
    /// Channels of all tiles that lie before the next channels do: all, or those of a panel.
    pub(crate) width: usize,
    pub(crate) out: &'a mut [f32],
    pub(crate) strides: Strides,
}

impl<M: Side<IN, OUT>, const IN: usize, const OUT: usize> WithSimd for By<Cut<'_>, M, IN, OUT> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Cut { input, corners, row, channels, width, out, strides } = self.0;
        let lanes = S::F32_LANES;
        let (row, pixel) = (row / lanes, channels / lanes);
        let right = strides.stretch / lanes;
        for first in (0..channels).step_by(width) {
            let here = width.min(channels - first);
            let distance = if here < width { here } else { strides.tile };
            let out = &mut out[first * corners.len()..];
            for (tile, corner) in corners.iter().enumerate() {
                for c in (0..here).step_by(lanes) {
                    let (vectors, _) = S::as_simd_f32s(&input[corner.from + first + c..]);
                    let from = Square { vectors, down: row, right: pixel };
                    let (vectors, _) = S::as_mut_simd_f32s(&mut out[tile * distance + c..]);
                    M::both(simd, from, Square { vectors, down: OUT * right, right }, false);
                }
            }
        }
    }
}

/// Outputs of every tile from its sums.
pub(crate) struct Join<'a> {
    pub(crate) sums: &'a [f32],
    pub(crate) strides: Strides,
    /// Where the outputs of tiles begin.
    pub(crate) corners: &'a [Row],
    /// Numbers from a row of pixels to the next.
    pub(crate) row: usize,
    pub(crate) channels: usize,
    pub(crate) out: &'a mut [f32],
}

impl<M: Side<IN, OUT>, const IN: usize, const OUT: usize> WithSimd for By<Join<'_>, M, IN, OUT> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Join { sums, strides, corners, row, channels, out } = self.0;
        let lanes = S::F32_LANES;
        let right = strides.stretch / lanes;
        let (row, pixel) = (row / lanes, channels / lanes);
        for (tile, corner) in corners.iter().enumerate() {
            for c in (0..channels).step_by(lanes) {
                let (vectors, _) = S::as_simd_f32s(&sums[tile * strides.tile + c..]);
                let from = Square { vectors, down: IN * right, right };
                let (vectors, _) = S::as_mut_simd_f32s(&mut out[corner.to + c..]);
                M::both(simd, from, Square { vectors, down: row, right: pixel }, false);
            }
        }
    }
}

/// Squares of matrices, one after another.
pub(crate) struct Matrices<'a> {
    pub(crate) input: &'a [f32],
    /// Numbers of one matrix.
    pub(crate) len: usize,
    pub(crate) out: &'a mut [f32],
    /// Numbers from a matrix of the output to the next.
    pub(crate) stride: usize,
    /// Whether to add to `out` or to overwrite it.
    pub(crate) add: bool,
}

impl<M: Side<IN, OUT>, const IN: usize, const OUT: usize> WithSimd
    for By<Matrices<'_>, M, IN, OUT>
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Matrices { input, len, out, stride, add } = self.0;
        let lanes = S::F32_LANES;
        let (from, to) = (len / lanes, stride / lanes);
        for k in (0..len).step_by(lanes) {
            let (vectors, _) = S::as_simd_f32s(&input[k..]);
            let square = Square { vectors, down: IN * from, right: from };
            let (vectors, _) = S::as_mut_simd_f32s(&mut out[k..]);
            M::both(simd, square, Square { vectors, down: OUT * to, right: to }, add);
        }
    }
}
