//! Weights and slopes of bundles.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use pulp::{Arch, Simd, WithSimd};

use crate::fast::kernel::{Loops, Reach, Row, Run, blocks_of};

/// Weights as they are, or for the way back with input and output exchanged and the window turned around.
#[derive(Clone, Copy)]
pub(super) enum Turn {
    Forward,
    Flipped,
}

/// For every block of outputs all numbers of the window, and for each the outputs.
pub(super) fn pack(weights: &[f32], turn: Turn, reach: Reach, out: &mut [f32]) {
    let Reach { rows, run, made, .. } = reach;
    let (cells, taken) = (rows * rows, run / rows);
    for (first, count) in blocks_of(made) {
        let out = &mut out[first * rows * run..][..count * rows * run];
        for (k, out) in out.chunks_exact_mut(count).enumerate() {
            let (cell, from) = (k / taken, k % taken);
            for (to, out) in (first..).zip(out) {
                *out = match turn {
                    Turn::Forward => weights[k * made + to],
                    Turn::Flipped => weights[((cells - 1 - cell) * made + to) * taken + from],
                };
            }
        }
    }
}

/// The sum over lanes of every slope, stored or added.
pub(super) fn add_lanes(arch: Arch, slopes: &[f32], out: &mut [f32], add: bool) {
    arch.dispatch(AddLanes { slopes, out, add });
}

struct AddLanes<'a> {
    slopes: &'a [f32],
    out: &'a mut [f32],
    add: bool,
}

impl WithSimd for AddLanes<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (slopes, _) = S::as_simd_f32s(self.slopes);
        for (out, slope) in self.out.iter_mut().zip(slopes) {
            let sum = simd.reduce_sum_f32s(*slope);
            *out = if self.add { *out + sum } else { sum };
        }
    }
}

/// Adds errors of all places.
pub(super) fn add_errors(arch: Arch, (errors, places): (&[f32], &[Row]), out: &mut [f32]) {
    arch.dispatch(Run(AddErrors { errors, places, out }));
}

struct AddErrors<'a> {
    errors: &'a [f32],
    places: &'a [Row],
    out: &'a mut [f32],
}

impl Loops for AddErrors<'_> {
    #[inline(always)]
    fn run(self) {
        for place in self.places {
            for (out, error) in self.out.iter_mut().zip(&self.errors[place.from..]) {
                *out += error;
            }
        }
    }
}
