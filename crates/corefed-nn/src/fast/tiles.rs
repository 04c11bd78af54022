//! Windows of 3x3 pixels by Winograd's method: four outputs of a tile from 16 products instead of 36.
//!
//! A tile of 4x4 pixels `d` becomes `B'dB`, the window `g` becomes `GgG'`; products are summed over channels, and
//! `A'(.)A` of the sums is the 2x2 outputs (Lavin and Gray 2016, arXiv 1509.09308). Sums of three numbers more
//! than the definition has make the result a little less exact: about twice the rounding. The way back is the
//! transpose of all this: errors `e` become `AeA'`, their products with tiles are summed, and `G'(.)G` is the gradient.

use pulp::Arch;

use super::aligned::Aligned;
use super::kernel::{
    ErrorsToTiles, FromTiles, Outer, Pack, Panels, Row, Segment, SlopesFromTiles, Strides, ToTiles,
    WeightsOfTiles,
};
use super::layout::{Layout, spread};
use super::product::{Block, blocks, multiply};
use crate::Shape;

/// Products of a tile.
const PRODUCTS: usize = 16;
/// Tiles whose errors are packed at a time.
const CHUNK: usize = 128;
/// Below it transforming costs more than it saves.
const FEWEST_CHANNELS: usize = 32;

/// How places are grouped to tiles.
#[derive(Clone, Debug)]
pub(crate) struct Tiles {
    taken: usize,
    made: usize,
    /// Numbers of a row of input pixels, and of output pixels.
    input_row: usize,
    output_row: usize,
    /// Places of an image, and tiles across.
    width: usize,
    height: usize,
    blocks: Vec<Block>,
}

/// Weights and tiles as they are multiplied.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    weights: Aligned,
    tiles: Aligned,
    sums: Aligned,
    /// The gradient of transformed weights.
    slopes: Aligned,
    chunk: Aligned,
    corners: Vec<Row>,
    rows: Vec<Row>,
}

impl Tiles {
    /// Only windows that it fits: three pixels, step one, an even number of places each way, and enough channels.
    pub(crate) fn fit((size, stride): (usize, usize), input: Layout, shape: Shape) -> Option<Self> {
        let (taken, made) = (input.shape.channels, shape.channels);
        let whole = |channels: usize| channels >= FEWEST_CHANNELS && channels.is_multiple_of(16);
        let even = shape.height.is_multiple_of(2) && shape.width.is_multiple_of(2);
        ((size, stride) == (3, 1) && even && whole(taken) && whole(made)).then(|| Self {
            taken,
            made,
            input_row: input.row,
            output_row: shape.width * made,
            width: shape.width,
            height: shape.height,
            blocks: blocks([Segment { offset: 0, len: taken }]),
        })
    }

    /// Transforms packed weights: nine matrices become 16.
    pub(crate) fn load(
        &self,
        arch: Arch,
        panels: Panels,
        packed: &[f32],
        scratch: &mut Option<Scratch>,
    ) {
        let scratch = scratch.get_or_insert_with(|| Scratch {
            weights: Aligned::new(0),
            tiles: Aligned::new(0),
            sums: Aligned::new(0),
            slopes: Aligned::new(0),
            chunk: Aligned::new(0),
            corners: Vec::new(),
            rows: Vec::new(),
        });
        let matrix = self.taken * panels.padded();
        reserve(&mut scratch.weights, PRODUCTS * matrix);
        for panel in panels.iter() {
            let len = self.taken * panel.padded;
            arch.dispatch(WeightsOfTiles {
                packed: &packed[9 * panel.column * self.taken..][..9 * len],
                len,
                out: &mut scratch.weights[panel.column * self.taken..],
                stride: matrix,
            });
        }
    }

    /// As `product::multiply`, for all places of whole images.
    pub(crate) fn multiply(
        &self,
        arch: Arch,
        panels: Panels,
        (input, places): (&[f32], &[Row]),
        scratch: &mut Scratch,
        out: &mut [f32],
    ) {
        let count = self.transform(arch, (input, places), scratch);
        let (from, to) = (strides(self.taken, count), strides(self.made, count));
        reserve(&mut scratch.sums, PRODUCTS * to.stretch);
        let matrix = self.taken * panels.padded();
        for product in 0..PRODUCTS {
            multiply(
                arch,
                (&scratch.tiles[product * from.stretch..], &scratch.rows),
                &self.blocks,
                (&scratch.weights[product * matrix..][..matrix], panels),
                &mut scratch.sums[product * to.stretch..],
            );
        }
        arch.dispatch(FromTiles {
            sums: &scratch.sums,
            strides: to,
            corners: &scratch.corners,
            row: self.output_row,
            channels: self.made,
            out,
        });
    }

    /// Brings images into tiles, and says how many there are.
    fn transform(
        &self,
        arch: Arch,
        (input, places): (&[f32], &[Row]),
        scratch: &mut Scratch,
    ) -> usize {
        self.corners(places, &mut scratch.corners);
        let count = scratch.corners.len();
        let (from, to) = (strides(self.taken, count), strides(self.made, count));
        let rows = (0..count).map(|k| Row { from: k * from.tile, to: k * to.tile });
        scratch.rows.clear();
        scratch.rows.extend(rows);
        reserve(&mut scratch.tiles, PRODUCTS * from.stretch);
        arch.dispatch(ToTiles {
            input,
            corners: &scratch.corners,
            row: self.input_row,
            channels: self.taken,
            out: &mut scratch.tiles,
            strides: from,
        });
        count
    }

    /// The first of the four places of every tile.
    fn corners(&self, places: &[Row], corners: &mut Vec<Row>) {
        corners.clear();
        for image in places.chunks_exact(self.height * self.width) {
            for y in (0..self.height).step_by(2) {
                corners.extend(image[y * self.width..][..self.width].iter().step_by(2));
            }
        }
    }

    /// Adds products of tiles and errors to the gradient of transformed weights, or begins anew. Errors are at
    /// `places`, with `row` numbers from a row of pixels to the next.
    pub(crate) fn outer(
        &self,
        arch: Arch,
        panels: Panels,
        (input, rows): (&[f32], &[Row]),
        (errors, places, row): (&[f32], &[Row], usize),
        scratch: &mut Scratch,
        add: bool,
    ) {
        let count = self.transform(arch, (input, rows), scratch);
        let (from, to) = (strides(self.taken, count), strides(self.made, count));
        self.corners(places, &mut scratch.corners);
        reserve(&mut scratch.sums, PRODUCTS * to.stretch);
        arch.dispatch(ErrorsToTiles {
            errors,
            corners: &scratch.corners,
            row,
            channels: self.made,
            out: &mut scratch.sums,
            strides: to,
        });
        let matrix = self.taken * self.made;
        reserve(&mut scratch.slopes, PRODUCTS * matrix);
        reserve(&mut scratch.chunk, CHUNK * panels.padded());
        for product in 0..PRODUCTS {
            for first in (0..count).step_by(CHUNK) {
                let rows = CHUNK.min(count - first);
                arch.dispatch(Pack {
                    panels,
                    matrix: &scratch.sums[product * to.stretch + first * to.tile..],
                    stride: to.tile,
                    rows,
                    total: rows,
                    first: 0,
                    out: &mut scratch.chunk,
                });
                for panel in panels.iter() {
                    arch.dispatch(Outer {
                        input: &scratch.tiles[product * from.stretch..],
                        offset: 0,
                        len: self.taken,
                        rows: &scratch.rows[first..first + rows],
                        panel: &scratch.chunk[panel.column * rows..][..rows * panel.padded],
                        out: &mut scratch.slopes[product * matrix..][..matrix],
                        stride: self.made,
                        column: panel.column,
                        width: panel.width,
                        add: add || first > 0,
                    });
                }
            }
        }
    }
}

impl Scratch {
    /// The gradient of the weights from that of the transformed ones.
    pub(crate) fn collect(&self, arch: Arch, slopes: &mut [f32], add: bool) {
        arch.dispatch(SlopesFromTiles {
            slopes: &self.slopes,
            len: slopes.len() / 9,
            out: slopes,
            add,
        });
    }
}

/// All tiles of one product after another.
fn strides(channels: usize, tiles: usize) -> Strides {
    let tile = spread(channels);
    Strides { tile, stretch: spread(tiles * tile) }
}

/// Grows at the first use and never again.
fn reserve(numbers: &mut Aligned, len: usize) {
    if numbers.len() < len {
        *numbers = Aligned::new(len);
    }
}
