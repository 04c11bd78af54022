//! Labelled images, kept as bytes until a batch is formed.
//!
//! Pixels lie sample by sample, row by row, channels innermost (NHWC). CIFAR-10 takes 184 MB
//! this way; as `f64` it would take eight times as much.

use thiserror::Error;

/// Images of one shape with a label each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Images {
    height: usize,
    width: usize,
    channels: usize,
    pixels: Vec<u8>,
    labels: Vec<u8>,
    classes: u8,
}

impl Images {
    /// Joins pixels and labels; every label must be below `classes`.
    pub fn new(
        height: usize,
        width: usize,
        channels: usize,
        pixels: Vec<u8>,
        labels: Vec<u8>,
        classes: u8,
    ) -> Result<Self, ImagesError> {
        let size = height.checked_mul(width).and_then(|area| area.checked_mul(channels));
        let Some(size) = size.filter(|&size| size > 0) else {
            return Err(ImagesError::Shape { height, width, channels });
        };
        if size.checked_mul(labels.len()) != Some(pixels.len()) {
            let (images, found) = (labels.len(), pixels.len());
            return Err(ImagesError::PixelCount { images, size, found });
        }
        if let Some(index) = labels.iter().position(|&label| label >= classes) {
            return Err(ImagesError::Label { index, label: labels[index], classes });
        }
        Ok(Self { height, width, channels, pixels, labels, classes })
    }

    /// Number of images.
    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are no images.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Rows of an image, at least one.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Pixels in a row, at least one.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Bytes per pixel: 1 for grey, 3 for red, green, blue.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Number of classes; labels are below it.
    #[must_use]
    pub fn classes(&self) -> u8 {
        self.classes
    }

    /// The label of every image.
    #[must_use]
    pub fn labels(&self) -> &[u8] {
        &self.labels
    }

    /// The bytes of image `i`, row by row.
    #[must_use]
    pub fn image(&self, i: usize) -> &[u8] {
        let size = self.sample_size();
        &self.pixels[i * size..(i + 1) * size]
    }

    /// The bytes of all images.
    #[must_use]
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Bytes per image: height times width times channels.
    #[must_use]
    pub fn sample_size(&self) -> usize {
        self.height * self.width * self.channels
    }
}

/// Why pixels and labels do not form a set of images.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ImagesError {
    /// A side of length zero, or more pixels than memory has addresses.
    #[error("images of {height} x {width} x {channels} bytes cannot be held")]
    Shape {
        /// Rows.
        height: usize,
        /// Pixels in a row.
        width: usize,
        /// Bytes per pixel.
        channels: usize,
    },
    /// More or fewer pixels than the labels call for.
    #[error("{images} images of {size} bytes do not fill {found} bytes")]
    PixelCount {
        /// Number of labels.
        images: usize,
        /// Bytes per image.
        size: usize,
        /// Bytes given.
        found: usize,
    },
    /// A label outside the classes.
    #[error("image {index} has label {label}, but there are {classes} classes")]
    Label {
        /// Which image, from zero.
        index: usize,
        /// Its label.
        label: u8,
        /// Number of classes.
        classes: u8,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_slices_of_one_buffer() {
        let images = Images::new(1, 2, 3, (0..12).collect(), vec![1, 0], 2).unwrap();
        assert_eq!((images.len(), images.sample_size(), images.is_empty()), (2, 6, false));
        assert_eq!((images.height(), images.width(), images.channels()), (1, 2, 3));
        assert_eq!(images.image(1), [6, 7, 8, 9, 10, 11]);
        assert_eq!((images.labels(), images.classes()), (&[1, 0][..], 2));
    }

    #[test]
    fn images_that_do_not_fit_are_refused() {
        let message = |h, w, c, pixels: usize, labels: &[u8]| {
            Images::new(h, w, c, vec![0; pixels], labels.to_vec(), 2).unwrap_err().to_string()
        };
        assert_eq!(message(0, 2, 3, 0, &[]), "images of 0 x 2 x 3 bytes cannot be held");
        let huge = message(usize::MAX, 2, 1, 0, &[]);
        assert!(huge.ends_with("bytes cannot be held"), "{huge}");
        assert_eq!(message(2, 2, 1, 7, &[0, 1]), "2 images of 4 bytes do not fill 7 bytes");
        assert_eq!(message(1, 1, 1, 2, &[0, 2]), "image 1 has label 2, but there are 2 classes");
    }
}
