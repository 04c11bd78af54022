//! Sizes of images and of what layers make of them.

use std::fmt;

/// An image, or a stack of feature maps. Numbers lie row by row, pixel by pixel, channel by channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of pixels.
    pub height: usize,
    /// Pixels of a row.
    pub width: usize,
    /// Numbers of a pixel.
    pub channels: usize,
}

/// What one sample is between two layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Feature maps.
    Maps(Shape),
    /// A row of numbers.
    Features(usize),
}

impl Shape {
    /// Numbers of one image.
    #[must_use]
    pub fn len(self) -> usize {
        self.height * self.width * self.channels
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

impl Size {
    /// Numbers of one sample.
    #[must_use]
    pub fn len(self) -> usize {
        match self {
            Self::Maps(shape) => shape.len(),
            Self::Features(count) => count,
        }
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

impl Size {
    /// Features are one pixel with many channels.
    pub(crate) fn as_maps(self) -> Shape {
        match self {
            Self::Maps(shape) => shape,
            Self::Features(channels) => Shape { height: 1, width: 1, channels },
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}x{}", self.height, self.width, self.channels)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Maps(shape) => write!(f, "{shape}"),
            Self::Features(count) => write!(f, "{count} features"),
        }
    }
}
