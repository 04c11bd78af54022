//! Labelled images of one size, kept as bytes.
//!
//! A byte per channel is an eighth of what a number would take, so images stay bytes until a
//! batch is formed. The order is NHWC: image, row, column, channel.

use corefed_core::digest_pieces;
use thiserror::Error;

/// Images and their classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Images {
    height: usize,
    width: usize,
    channels: usize,
    pixels: Vec<u8>,
    labels: Vec<u8>,
    classes: u8,
}

/// Why bytes are not labelled images.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImagesError {
    /// A side is zero, or the product of the sides is beyond any memory.
    #[error("images of `{height}` x `{width}` pixels with `{channels}` channels cannot be stored")]
    Size {
        /// Rows of an image.
        height: usize,
        /// Columns of an image.
        width: usize,
        /// Bytes of a pixel.
        channels: usize,
    },
    /// There is nothing to learn from.
    #[error("there are no images")]
    Empty,
    /// Pixels and labels disagree about how many images there are.
    #[error("`{images}` labels of images need `{expected}` bytes but there are `{found}`")]
    Pixels {
        /// Images, counted by their labels.
        images: usize,
        /// Bytes that many images have.
        expected: usize,
        /// Bytes given.
        found: usize,
    },
    /// A label that is not a class.
    #[error("image `{image}` has label `{label}` but there are only `{classes}` classes")]
    Label {
        /// Index from zero.
        image: usize,
        /// Its label.
        label: u8,
        /// Number of classes.
        classes: u8,
    },
}

impl ImagesError {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Size { .. } => None,
            Self::Empty => Some("are the files complete?".to_owned()),
            Self::Pixels { .. } => Some("do images and labels come from the same set?".to_owned()),
            Self::Label { .. } => Some("labels count from zero".to_owned()),
        }
    }
}

impl Images {
    /// Checks and takes the parts: `pixels` has `height * width * channels` bytes for each of
    /// the `labels`, and labels are in `0..classes`.
    pub fn new(
        height: usize,
        width: usize,
        channels: usize,
        pixels: Vec<u8>,
        labels: Vec<u8>,
        classes: u8,
    ) -> Result<Self, ImagesError> {
        let size = || ImagesError::Size { height, width, channels };
        let sample = height
            .checked_mul(width)
            .and_then(|area| area.checked_mul(channels))
            .filter(|&sample| sample > 0)
            .ok_or_else(size)?;
        let images = labels.len();
        if images == 0 {
            return Err(ImagesError::Empty);
        }
        let expected = images.checked_mul(sample).ok_or_else(size)?;
        if pixels.len() != expected {
            return Err(ImagesError::Pixels { images, expected, found: pixels.len() });
        }
        if let Some(image) = labels.iter().position(|&label| label >= classes) {
            return Err(ImagesError::Label { image, label: labels[image], classes });
        }
        Ok(Self { height, width, channels, pixels, labels, classes })
    }

    /// Number of images.
    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are no images; there always are.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Rows of an image, in pixels.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Columns of an image, in pixels.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Bytes of a pixel: 1 for grey, 3 for red, green and blue.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Bytes of an image.
    #[must_use]
    pub fn sample_size(&self) -> usize {
        self.height * self.width * self.channels
    }

    /// The bytes of one image: row by row, channels of a pixel together.
    ///
    /// # Panics
    /// If there is no such image.
    #[must_use]
    pub fn image(&self, index: usize) -> &[u8] {
        let size = self.sample_size();
        &self.pixels[index * size..(index + 1) * size]
    }

    /// The bytes of all images, one after the other.
    #[must_use]
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// The class of each image, in `0..classes`.
    #[must_use]
    pub fn labels(&self) -> &[u8] {
        &self.labels
    }

    /// SHA-256 of all pixels, then all labels.
    #[must_use]
    pub fn digest(&self) -> String {
        digest_pieces(&[&self.pixels, &self.labels])
    }

    /// Number of classes.
    #[must_use]
    pub fn classes(&self) -> u8 {
        self.classes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_its_slice_of_the_pixels() {
        let images = Images::new(1, 2, 3, (0..18).collect(), vec![1, 0, 1], 2).unwrap();
        assert_eq!((images.len(), images.sample_size()), (3, 6));
        assert_eq!(images.image(1), [6, 7, 8, 9, 10, 11]);
        assert_eq!(images.labels(), [1, 0, 1]);
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let new = |height, pixels: usize, labels: &[u8]| {
            Images::new(height, 2, 1, vec![0; pixels], labels.to_vec(), 3).unwrap_err()
        };
        let (width, channels) = (2, 1);
        for height in [0, usize::MAX, usize::MAX / 2] {
            let expected = ImagesError::Size { height, width, channels };
            assert_eq!(new(height, 8, &[0, 1]), expected);
        }
        assert_eq!(new(2, 0, &[]), ImagesError::Empty);
        for found in [0, 7, 9] {
            let error = new(2, found, &[0, 1]);
            assert_eq!(error, ImagesError::Pixels { images: 2, expected: 8, found });
        }
        let error = new(2, 8, &[2, 3]);
        assert_eq!(error, ImagesError::Label { image: 1, label: 3, classes: 3 });
        assert_eq!(error.to_string(), "image `1` has label `3` but there are only `3` classes");
    }
}
