//! Numbers that begin at a cache line.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line, and of the widest vector.
const LINE: usize = 64;

/// Zeros at first. Vectors that straddle two cache lines would cost two loads.
#[derive(Debug)]
pub(crate) struct Aligned {
    numbers: Vec<f32>,
    start: usize,
    len: usize,
}

impl Aligned {
    pub(crate) fn new(len: usize) -> Self {
        let numbers = vec![0.0_f32; len + LINE / size_of::<f32>()];
        // A machine that cannot say where it is computes the same, more slowly.
        let start = numbers.as_ptr().align_offset(LINE).min(LINE / size_of::<f32>());
        Self { numbers, start, len }
    }
}

impl Clone for Aligned {
    fn clone(&self) -> Self {
        let mut copy = Self::new(self.len);
        copy.copy_from_slice(self);
        copy
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.numbers[self.start..self.start + self.len]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.numbers[self.start..self.start + self.len]
    }
}
