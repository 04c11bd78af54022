//! Convolutions of bundles: as many images as a vector has lanes, each number a vector of all of them.
//!
//! Few channels leave lanes idle; images do not. Weights are spread over lanes instead of pixels.

use pulp::{Simd, WithSimd};

use super::tile::even_parts;

/// As many outputs of a tile, and pixels or weights of each, as leave registers for operands.
pub(crate) const OUTPUTS: usize = 6;

const fn most<S: Simd>() -> usize {
    if S::REGISTER_COUNT >= 32 { 4 } else { 2 }
}

/// Calls a function with up to 4 and up to 6 as constants.
macro_rules! with_sizes {
    ($rows:expr, $outputs:expr, $function:ident::<$simd:ty>$arguments:tt) => {
        match $rows {
            1 => with_sizes!(@outputs 1, $outputs, $function::<$simd>$arguments),
            _ if const { most::<$simd>() == 2 } => {
                with_sizes!(@outputs 2, $outputs, $function::<$simd>$arguments)
            }
            2 => with_sizes!(@outputs 2, $outputs, $function::<$simd>$arguments),
            3 => with_sizes!(@outputs 3, $outputs, $function::<$simd>$arguments),
            _ => with_sizes!(@outputs 4, $outputs, $function::<$simd>$arguments),
        }
    };
    (@outputs $rows:literal, $outputs:expr, $function:ident::<$simd:ty>($($argument:expr),*)) => {
        match $outputs {
            1 => $function::<$simd, $rows, 1>($($argument),*),
            2 => $function::<$simd, $rows, 2>($($argument),*),
            3 => $function::<$simd, $rows, 3>($($argument),*),
            4 => $function::<$simd, $rows, 4>($($argument),*),
            5 => $function::<$simd, $rows, 5>($($argument),*),
            _ => $function::<$simd, $rows, 6>($($argument),*),
        }
    };
}

/// Neighbouring places, and the part of their windows that is not zero. All in vectors.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    /// Where the first window begins, and where its outputs do.
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) places: usize,
    /// Rows of the window.
    pub(crate) rows: (usize, usize),
    /// Numbers of a row of the window.
    pub(crate) run: (usize, usize),
}

/// How a window lies in a bundle. All in vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// Rows of the window, and numbers of a row.
    pub(crate) rows: usize,
    pub(crate) run: usize,
    /// From a row of pixels to the next, and from a place to the next.
    pub(crate) line: usize,
    pub(crate) step: usize,
    /// Outputs.
    pub(crate) made: usize,
}

/// Sums at all places of a bundle.
pub(crate) struct BundleMultiply<'a> {
    pub(crate) input: &'a [f32],
    pub(crate) spans: &'a [Span],
    pub(crate) reach: Reach,
    /// As [`blocks_of`] cuts them: all weights of the first outputs, then those of the next.
    pub(crate) weights: &'a [f32],
    pub(crate) out: &'a mut [f32],
}

/// Outputs that are computed together: the first of each block, and how many.
#[inline(always)]
pub(crate) fn blocks_of(made: usize) -> impl Iterator<Item = (usize, usize)> {
    even_parts(made, OUTPUTS).scan(0, |first, count| {
        *first += count;
        Some((*first - count, count))
    })
}

/// Places that are computed together.
pub(crate) struct MostPlaces;

impl WithSimd for MostPlaces {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> usize {
        most::<S>()
    }
}

impl WithSimd for BundleMultiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let Reach { rows, run, made, .. } = self.reach;
        for (first, count) in blocks_of(made) {
            let weights = &self.weights[first * rows * run..][..count * rows * run];
            for span in self.spans {
                with_sizes!(span.places, count, sums::<S>(simd, &mut self, span, weights, first));
            }
        }
    }
}

#[inline(always)]
fn sums<S: Simd, const P: usize, const O: usize>(
    simd: S,
    work: &mut BundleMultiply<'_>,
    span: &Span,
    weights: &[f32],
    first: usize,
) {
    let (input, _) = S::as_simd_f32s(work.input);
    let (weights, _) = weights.as_chunks::<O>();
    let Reach { run, line, step, made, .. } = work.reach;
    let len = span.run.1 - span.run.0;
    let mut sums = [[simd.splat_f32s(0.0); O]; P];
    for row in span.rows.0..span.rows.1 {
        let at = span.from + row * line + span.run.0;
        let numbers: [&[S::f32s]; P] = std::array::from_fn(|p| &input[at + p * step..][..len]);
        let weights = &weights[row * run + span.run.0..][..len];
        for k in 0..len {
            for o in 0..O {
                let weight = simd.splat_f32s(weights[k][o]);
                for p in 0..P {
                    sums[p][o] = simd.mul_add_e_f32s(numbers[p][k], weight, sums[p][o]);
                }
            }
        }
    }
    let (out, _) = S::as_mut_simd_f32s(work.out);
    for (p, sums) in sums.into_iter().enumerate() {
        out[span.to + p * made + first..][..O].copy_from_slice(&sums);
    }
}

/// A row of places: where their windows and their errors begin, in vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) window: usize,
    pub(crate) errors: usize,
}

/// Adds up, over rows of places, products of windows and errors, for each lane alone.
pub(crate) struct BundleOuter<'a> {
    pub(crate) input: &'a [f32],
    pub(crate) errors: &'a [f32],
    pub(crate) lines: &'a [Line],
    /// Places of a row, and vectors from one's errors to the next's.
    pub(crate) places: usize,
    pub(crate) distance: usize,
    pub(crate) reach: Reach,
    pub(crate) out: &'a mut [f32],
    /// Whether to add to `out` or to overwrite it.
    pub(crate) add: bool,
}

impl WithSimd for BundleOuter<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let Reach { rows, run, made, .. } = self.reach;
        for (first, outputs) in blocks_of(made) {
            for row in 0..rows {
                let mut k = 0;
                for count in even_parts(run, most::<S>()) {
                    with_sizes!(count, outputs, slopes::<S>(simd, &mut self, row, k, first));
                    k += count;
                }
            }
        }
    }
}

#[inline(always)]
fn slopes<S: Simd, const R: usize, const O: usize>(
    simd: S,
    work: &mut BundleOuter<'_>,
    row: usize,
    k: usize,
    first: usize,
) {
    let (input, _) = S::as_simd_f32s(work.input);
    let (errors, _) = S::as_simd_f32s(work.errors);
    let Reach { run, line, step, made, .. } = work.reach;
    let mut sums = [[simd.splat_f32s(0.0); O]; R];
    for begin in work.lines {
        let numbers = &input[begin.window + row * line + k..];
        let errors = &errors[begin.errors + first..];
        for place in 0..work.places {
            let Some(numbers) = numbers[place * step..].first_chunk::<R>() else { return };
            let Some(errors) = errors[place * work.distance..].first_chunk::<O>() else { return };
            for r in 0..R {
                for o in 0..O {
                    sums[r][o] = simd.mul_add_e_f32s(numbers[r], errors[o], sums[r][o]);
                }
            }
        }
    }
    let (out, _) = S::as_mut_simd_f32s(work.out);
    for (r, sums) in sums.into_iter().enumerate() {
        let out = &mut out[(row * run + k + r) * made + first..][..O];
        for (out, sum) in out.iter_mut().zip(sums) {
            *out = if work.add { simd.add_f32s(*out, sum) } else { sum };
        }
    }
}
