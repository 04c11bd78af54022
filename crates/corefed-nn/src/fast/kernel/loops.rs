//! Loops that the compiler turns into vector instructions by itself.

use pulp::{Simd, WithSimd};

/// Work that needs no more than vector features; `run` is to be inlined.
pub(crate) trait Loops {
    fn run(self);
}

/// Gives it these features.
pub(crate) struct Run<L: Loops>(pub(crate) L);

impl<L: Loops> WithSimd for Run<L> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        self.0.run();
    }
}
