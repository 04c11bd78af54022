//! Where the numbers of feature maps are.

use crate::Shape;

/// Images one after another, pixel by pixel, with zeros around each, so that a window never leaves its image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) shape: Shape,
    /// Zero pixels on each side.
    pub(crate) border: usize,
    /// Numbers from a row of pixels to the next.
    pub(crate) row: usize,
    /// Numbers from an image to the next.
    pub(crate) image: usize,
}

/// A distance of at least `len` numbers between rows that are read side by side: an odd number of four cache
/// lines. Then no two of eight rows compete for the same places of the first-level cache, as they would at a power of two.
pub(crate) fn spread(len: usize) -> usize {
    (len.div_ceil(64) | 1) * 64
}

impl Layout {
    pub(crate) fn new(shape: Shape, border: usize) -> Self {
        let row = (shape.width + 2 * border) * shape.channels;
        let image = spread((shape.height + 2 * border) * row);
        Self { shape, border, row, image }
    }

    /// Where a pixel begins in an image.
    pub(crate) fn at(&self, y: usize, x: usize) -> usize {
        (y + self.border) * self.row + (x + self.border) * self.shape.channels
    }

    /// Where the rows of all images begin, without borders.
    pub(crate) fn rows(self, images: usize) -> impl Iterator<Item = usize> {
        (0..images).flat_map(move |image| {
            (0..self.shape.height).map(move |y| image * self.image + self.at(y, 0))
        })
    }

    /// Numbers of a row without its border.
    pub(crate) fn row_len(&self) -> usize {
        self.shape.width * self.shape.channels
    }
}
