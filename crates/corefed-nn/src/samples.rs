//! Images with their labels, and what is counted over them.

/// Images and labels, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct Samples<'a> {
    /// Pixel by pixel and channel by channel, one image after another.
    pub pixels: &'a [f32],
    /// One per image, below the number of classes.
    pub labels: &'a [u8],
}

/// What a network does on some images.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// Sum of losses, in nats.
    pub loss: f64,
    /// Images whose largest logit is that of their label; the first of equals counts.
    pub correct: usize,
}

impl Samples<'_> {
    /// Images of this many numbers, each with its label.
    #[cfg(any(test, feature = "oracle"))]
    pub(crate) fn rows(&self, numbers: usize) -> impl Iterator<Item = (&[f32], usize)> {
        let labels = self.labels.iter().map(|label| usize::from(*label));
        self.pixels.chunks_exact(numbers).zip(labels)
    }

    /// Batches of at most `rows` images of this many numbers.
    pub(crate) fn batches(self, rows: usize, numbers: usize) -> impl Iterator<Item = Self> {
        let pixels = self.pixels.chunks(rows * numbers);
        pixels.zip(self.labels.chunks(rows)).map(|(pixels, labels)| Self { pixels, labels })
    }

    /// # Panics
    /// If there are not as many images as labels, or a label is not a class.
    pub(crate) fn check(self, numbers: usize, classes: usize) {
        assert_eq!(self.pixels.len(), self.labels.len() * numbers, "numbers of all images");
        let wrong = self.labels.iter().find(|label| usize::from(**label) >= classes);
        assert!(wrong.is_none(), "label {wrong:?} of {classes} classes");
    }
}
