//! How images lie in memory.

/// How pixels are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Form {
    /// With a scale and a shift for each channel; else floats.
    pub(crate) bytes: bool,
    pub(crate) channels: usize,
    /// Numbers of a pixel in memory: one more than channels, where pixels are then read at once.
    pub(crate) width: usize,
}

impl Form {
    /// Pixels of three channels are stored as four for a convolution.
    pub(crate) fn new(bytes: bool, channels: usize, convolves: bool) -> Self {
        Self { bytes, channels, width: if convolves && channels == 3 { 4 } else { channels } }
    }

    pub(crate) fn widened<T: Copy + Default>(self, numbers: &[T]) -> Vec<T> {
        let mut wide = Vec::with_capacity(numbers.len() / self.channels * self.width);
        for pixel in numbers.chunks_exact(self.channels) {
            wide.extend_from_slice(pixel);
            wide.resize(wide.len() + self.width - self.channels, T::default());
        }
        wide
    }
}
