//! The step: velocity and parameters move along the combined update.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::BLOCK;
use crate::Scalar;

/// The constants of one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// Factor of the direction.
    pub(crate) scale: f64,
    /// The server's step size.
    pub(crate) step: f64,
    /// How much of the velocity stays.
    pub(crate) momentum: f64,
}

/// Calls `each` with the start of every block, its velocity (empty if there is none) and its
/// parameters.
pub(crate) fn each_block<T: Scalar>(
    velocity: &mut [T],
    params: &mut [T],
    each: impl Fn(usize, &mut [T], &mut [T]) + Sync,
) {
    let params = params.par_chunks_mut(BLOCK);
    if velocity.is_empty() {
        params.enumerate().for_each(|(block, params)| each(block * BLOCK, &mut [], params));
    } else {
        let moving = params.zip_eq(velocity.par_chunks_mut(BLOCK)).enumerate();
        moving.for_each(|(block, (params, velocity))| each(block * BLOCK, velocity, params));
    }
}

/// `velocity = momentum * velocity + scale * direction; params += step * velocity` on one block.
/// With an empty velocity: `params += (step * scale) * direction`.
pub(crate) fn advance_block<T: Scalar>(
    motion: Motion,
    velocity: &mut [T],
    params: &mut [T],
    direction: &[T],
) {
    if velocity.is_empty() {
        let factor = T::from_f64(motion.step * motion.scale);
        Arch::new().dispatch(Straight { factor, params, direction });
    } else {
        let [scale, step, momentum] = [motion.scale, motion.step, motion.momentum].map(T::from_f64);
        Arch::new().dispatch(Heavy { scale, step, momentum, velocity, params, direction });
    }
}

struct Straight<'a, T> {
    factor: T,
    params: &'a mut [T],
    direction: &'a [T],
}

impl<T: Scalar> WithSimd for Straight<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (param, &direction) in self.params.iter_mut().zip(self.direction) {
            *param = *param + self.factor * direction;
        }
    }
}

struct Heavy<'a, T> {
    scale: T,
    step: T,
    momentum: T,
    velocity: &'a mut [T],
    params: &'a mut [T],
    direction: &'a [T],
}

impl<T: Scalar> WithSimd for Heavy<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let moving = self.params.iter_mut().zip(self.velocity).zip(self.direction);
        for ((param, velocity), &direction) in moving {
            *velocity = self.momentum * *velocity + self.scale * direction;
            *param = *param + self.step * *velocity;
        }
    }
}
