//! Numbers that begin at a cache line: a vector of 64 bytes then never touches two.

use corefed_rules::Scalar;

/// A slice whose first number lies at a multiple of 64 bytes.
#[derive(Clone, Debug)]
pub(super) struct Aligned<T> {
    numbers: Vec<T>,
    first: usize,
    len: usize,
}

const LINE: usize = 64;

impl<T> Default for Aligned<T> {
    fn default() -> Self {
        Self { numbers: Vec::new(), first: 0, len: 0 }
    }
}

impl<T: Scalar> Aligned<T> {
    /// Makes room for `len` numbers; those that are there may hold anything.
    pub(super) fn resize(&mut self, len: usize) -> &mut [T] {
        self.numbers.resize(len + LINE / size_of::<T>(), T::ZERO);
        // Where alignment cannot be told (never on real machines) any place is right, only slower.
        self.first = self.numbers.as_ptr().align_offset(LINE).min(LINE / size_of::<T>());
        self.len = len;
        self.as_mut()
    }

    pub(super) fn as_slice(&self) -> &[T] {
        &self.numbers[self.first..self.first + self.len]
    }

    pub(super) fn as_mut(&mut self) -> &mut [T] {
        &mut self.numbers[self.first..self.first + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_at_a_cache_line() {
        let mut aligned = Aligned::<f64>::default();
        for len in [1, 7, 1000, 3] {
            aligned.resize(len).fill(1.0);
            assert_eq!(aligned.as_slice().as_ptr().addr() % LINE, 0);
            assert_eq!(aligned.as_slice().len(), len);
        }
    }
}
