//! Windows of 3x3 and 5x5 pixels by Winograd's method, which needs fewer multiplications.
//!
//! A tile of pixels `d` becomes `B'dB`, the window `g` becomes `GgG'`; products are summed over channels, and
//! `A'(.)A` of the sums are the outputs of the tile (Lavin and Gray 2016, arXiv 1509.09308). The way back is the
//! transpose of all this: errors `e` become `AeA'`, their products with tiles are summed, and `G'(.)G` is the gradient.
//!
//! | window | outputs | pixels | products, and by the definition |
//! |---|---|---|---|
//! | 3x3 | 2x2 | 4x4 | 16, 36 |
//! | 5x5 | 2x2 | 6x6 | 36, 100 |
//! | 3x3 | 4x4 | 6x6 | 36, 144 |
//!
//! Numbers grow on the way and cancel at its end, so results are less exact: docs/networks.md says how much.

use pulp::Arch;

use super::aligned::Aligned;
use super::kernel::{Cut, Join, Matrices, Panels, Row, Segment, Strides, Transforms, Winograd};
use super::layout::{Layout, spread};
use super::product::{Block, blocks, multiply};
use crate::Shape;

mod slopes;

/// What there is, best first.
const METHODS: [&dyn Transforms; 3] =
    [&Winograd::<2, 5, 6>, &Winograd::<4, 3, 6>, &Winograd::<2, 3, 4>];
/// Tiles that are worked on at a time: enough to use weights often, few enough for the second-level cache.
const BLOCK: usize = 64;
/// Below it transforming costs more than it saves.
const FEWEST_CHANNELS: usize = 32;

/// How places are grouped to tiles.
#[derive(Clone, Debug)]
pub(crate) struct Tiles {
    method: &'static dyn Transforms,
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
    corners: Vec<Row>,
    others: Vec<Row>,
    rows: Vec<Row>,
}

impl Tiles {
    /// Only windows that it fits: a size there is a method for, step one, whole tiles each way, and enough channels.
    pub(crate) fn fit((size, stride): (usize, usize), input: Layout, shape: Shape) -> Option<Self> {
        let (taken, made) = (input.shape.channels, shape.channels);
        let many = |channels: usize| channels >= FEWEST_CHANNELS && channels.is_multiple_of(16);
        let fits = |method: &&dyn Transforms| {
            let whole = |places: usize| places.is_multiple_of(method.outputs());
            method.window() == size && whole(shape.height) && whole(shape.width)
        };
        let method = METHODS.into_iter().find(fits)?;
        (stride == 1 && many(taken) && many(made)).then(|| Self {
            method,
            taken,
            made,
            input_row: input.row,
            output_row: shape.width * made,
            width: shape.width,
            height: shape.height,
            blocks: blocks([Segment { offset: 0, len: taken }]),
        })
    }

    /// Places that are worked on at a time.
    pub(crate) fn places(&self) -> usize {
        BLOCK * self.method.outputs() * self.method.outputs()
    }

    /// Numbers of a tile.
    fn products(&self) -> usize {
        self.method.side() * self.method.side()
    }

    /// Transforms packed weights: those of a window become those of a tile.
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
            corners: Vec::new(),
            others: Vec::new(),
            rows: Vec::new(),
        });
        let matrix = self.taken * panels.padded();
        reserve(&mut scratch.weights, self.products() * matrix);
        let cells = self.method.window() * self.method.window();
        for panel in panels.iter() {
            let len = self.taken * panel.padded;
            let work = Matrices {
                input: &packed[cells * panel.column * self.taken..][..cells * len],
                len,
                out: &mut scratch.weights[panel.column * self.taken..],
                stride: matrix,
                add: false,
            };
            self.method.weights(arch, work);
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
        let mut corners = std::mem::take(&mut scratch.corners);
        self.corners(places, &mut corners);
        for corners in corners.chunks(BLOCK) {
            self.multiply_block(arch, panels, (input, corners), scratch, out);
        }
        scratch.corners = corners;
    }

    /// The same for a few tiles, whose numbers stay in the second-level cache.
    fn multiply_block(
        &self,
        arch: Arch,
        panels: Panels,
        (input, corners): (&[f32], &[Row]),
        scratch: &mut Scratch,
        out: &mut [f32],
    ) {
        self.transform(arch, (input, corners), scratch);
        let count = corners.len();
        let (from, to) = (strides(self.taken, count), strides(self.made, count));
        reserve(&mut scratch.sums, self.products() * to.stretch);
        let matrix = self.taken * panels.padded();
        for product in 0..self.products() {
            multiply(
                arch,
                (&scratch.tiles[product * from.stretch..], &scratch.rows),
                &self.blocks,
                (&scratch.weights[product * matrix..][..matrix], panels),
                &mut scratch.sums[product * to.stretch..],
            );
        }
        let work = Join {
            sums: &scratch.sums,
            strides: to,
            corners,
            row: self.output_row,
            channels: self.made,
            out,
        };
        self.method.sums_to_outputs(arch, work);
    }

    /// Brings pixels into tiles.
    fn transform(&self, arch: Arch, (input, corners): (&[f32], &[Row]), scratch: &mut Scratch) {
        let count = corners.len();
        let (from, to) = (strides(self.taken, count), strides(self.made, count));
        let rows = (0..count).map(|k| Row { from: k * from.tile, to: k * to.tile });
        scratch.rows.clear();
        scratch.rows.extend(rows);
        reserve(&mut scratch.tiles, self.products() * from.stretch);
        let work = Cut {
            input,
            corners,
            row: self.input_row,
            channels: self.taken,
            width: self.taken,
            out: &mut scratch.tiles,
            strides: from,
        };
        self.method.pixels_to_tiles(arch, work);
    }

    /// The first place of every tile.
    fn corners(&self, places: &[Row], corners: &mut Vec<Row>) {
        let step = self.method.outputs();
        corners.clear();
        for image in places.chunks_exact(self.height * self.width) {
            for y in (0..self.height).step_by(step) {
                corners.extend(image[y * self.width..][..self.width].iter().step_by(step));
            }
        }
    }
}

/// All tiles of one product after another.
fn strides(channels: usize, tiles: usize) -> Strides {
    let tile = if channels <= 256 { channels } else { spread(channels) };
    Strides { tile, stretch: spread(tiles * tile) }
}

/// Grows at the first use and never again.
fn reserve(numbers: &mut Aligned, len: usize) {
    if numbers.len() < len {
        *numbers = Aligned::new(len);
    }
}
