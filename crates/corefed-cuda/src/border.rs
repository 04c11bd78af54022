//! Filter taps that fall into the padding of small images.

use crate::kind::Kind;
use crate::product::Product;

/// Pixels of an image whose places are put in the order of pixels: as many as the kernel's mask has bits.
const MOST: usize = 64;

/// Images of a batch below which a tile would have too many pixels.
const FEWEST: usize = 16;

/// A convolution whose places are in the order of pixels, then images. Rows of a tile then have few pixels, and taps
/// that are outside the image for all of them are left out; so are pixels that no tap of a tile of weights sees.
/// `border.cu` does what this counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Border {
    kind: Kind,
    /// Of the window.
    size: usize,
    padding: usize,
    /// Height and width of what rows, or summands of weights, are pixels of.
    map: (usize, usize),
    /// Of what windows look at.
    other: (usize, usize),
    /// Summands, or rows of weights, that a tap has.
    line: usize,
    batch: usize,
}

impl Border {
    /// `wide` is how many channels the input has in memory. `None` where every tap sees something, images are large,
    /// or four places that are pooled must be neighbours.
    pub(crate) fn new(product: &Product, kind: Kind, batch: usize, wide: usize) -> Option<Self> {
        let sides = |shape: corefed_nn::Shape| (shape.height, shape.width);
        let (input, output) = (sides(product.input), sides(product.output));
        let (map, other, line) = match kind {
            Kind::Input => (input, output, product.output.channels),
            Kind::Forward | Kind::Weight => (output, input, wide),
        };
        let window = product.window;
        let pooled = product.pools && (kind == Kind::Forward || !product.spreads);
        let small = map.0 * map.1 <= MOST && map.1 < MOST && other.1 < MOST;
        let has = window.padding > 0 && window.stride == 1 && window.size * window.size <= 32;
        (has && small && !pooled && batch >= FEWEST).then_some(Self {
            kind,
            size: window.size,
            padding: window.padding,
            map,
            other,
            line,
            batch,
        })
    }

    /// Whether tiles so deep are inside one pixel, where pixels are summed over.
    pub(crate) fn divides(self, depth: usize) -> bool {
        self.kind != Kind::Weight || self.batch.is_multiple_of(depth)
    }

    /// Summands of the tile that has most, and on average, in tiles of this many rows.
    pub(crate) fn summands(self, tile_rows: usize) -> (usize, f64) {
        let (taps, pixels) = (self.size * self.size, self.map.0 * self.map.1);
        let (rows, each) = match self.kind {
            Kind::Weight => (taps * self.line + 1, self.batch),
            _ => (pixels * self.batch, self.line),
        };
        let tiles = rows.div_ceil(tile_rows);
        let counts = (0..tiles).map(|tile| {
            let (first, last) = (tile * tile_rows, rows.min((tile + 1) * tile_rows) - 1);
            let groups = match self.kind {
                // Biases see every pixel.
                Kind::Weight if last + 1 == rows => pixels,
                Kind::Weight => {
                    let seen = |pixel: &usize| {
                        (first / self.line..=last / self.line).any(|tap| self.sees(*pixel, tap))
                    };
                    (0..pixels).filter(seen).count()
                }
                _ => {
                    let seen = |tap: &usize| {
                        (first / self.batch..=last / self.batch).any(|pixel| self.sees(pixel, *tap))
                    };
                    (0..taps).filter(seen).count()
                }
            };
            groups * each
        });
        let (most, all) = counts.fold((0, 0), |(most, all), one| (one.max(most), all + one));
        (most, all as f64 / tiles as f64)
    }

    fn sees(self, pixel: usize, tap: usize) -> bool {
        let inside = |at: usize, tap: usize, size: usize| {
            let there = match self.kind {
                Kind::Input => (at + self.padding).checked_sub(tap),
                _ => (at + tap).checked_sub(self.padding),
            };
            there.is_some_and(|there| there < size)
        };
        inside(pixel / self.map.1, tap / self.size, self.other.0)
            && inside(pixel % self.map.1, tap % self.size, self.other.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::known;
    use crate::plan::{Op, plan};

    fn borders(layer: usize, batch: usize) -> [Option<Border>; 3] {
        let Op::Product(product) = plan(&known("vgg11"))[layer] else { panic!("a convolution") };
        let wide = product.input.channels;
        [Kind::Forward, Kind::Input, Kind::Weight]
            .map(|kind| Border::new(&product, kind, batch, wide))
    }

    #[test]
    fn four_of_nine_taps_see_anything_at_the_corners_of_two_by_two_pixels() {
        let [forward, input, weight] = borders(6, 64).map(|border| border.expect("small images"));
        assert_eq!(forward.summands(64), (4 * 512, 4.0 * 512.0));
        assert_eq!(input.summands(64), (4 * 512, 4.0 * 512.0));
        // Two pixels of a line: six taps.
        assert_eq!(forward.summands(128).0, 6 * 512);
        assert_eq!(forward.summands(256).0, 9 * 512);
        // Taps see 4, 2 or 1 pixels, four tiles each; the last tile is that of the biases.
        let (most, mean) = weight.summands(128);
        assert_eq!(most, 4 * 64);
        assert!((mean - (16.0 * 4.0 + 4.0) * 64.0 / 37.0).abs() < 1e-9);
    }

    #[test]
    fn a_border_of_four_by_four_pixels_costs_three_tenths() {
        let [_, input, _] = borders(4, 64).map(|border| border.expect("small images"));
        let (most, mean) = input.summands(64);
        assert_eq!(most, 9 * 512);
        assert!((mean / 512.0 - 100.0 / 16.0).abs() < 1e-9);
    }

    #[test]
    fn large_images_small_batches_and_pools_have_none() {
        assert_eq!(borders(1, 64), [None; 3]);
        assert_eq!(borders(6, 8), [None; 3]);
        let [forward, input, weight] = borders(7, 64);
        assert!(forward.is_none() && input.is_some() && weight.is_some());
    }
}
