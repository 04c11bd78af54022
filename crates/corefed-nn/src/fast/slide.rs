//! A window that slides over images: the product of what it sees with a matrix, at every place.

use pulp::Arch;

use super::aligned::Aligned;
use super::fold::{Fold, Folded};
use super::kernel::{Pack, PackTransposed, Panels, Row, Segment, panels};
use super::layout::Layout;
use super::product::{Block, blocks, multiply};
use super::tiles::Tiles;
use crate::Shape;

/// Places of a window for a group of images.
#[derive(Clone, Debug)]
pub(crate) struct Slide {
    /// Cells of the window.
    cells: usize,
    /// Channels taken and made.
    channels: (usize, usize),
    /// Places of one image.
    places: usize,
    /// Where the windows and the outputs of a group begin.
    pub(crate) rows: Vec<Row>,
    pub(crate) segments: Vec<Segment>,
    blocks: Vec<Block>,
    /// For windows of three or five pixels, fewer multiplications.
    tiles: Option<Tiles>,
    /// For few outputs, and then with rows of several places.
    fold: Option<(Fold, Vec<Row>)>,
}

/// What both ways of a convolution use in turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    packed: Option<Aligned>,
    tiles: Option<super::tiles::Scratch>,
    folded: Folded,
}

/// Weights, or for the way back weights with input and output exchanged and the window turned around.
#[derive(Clone, Copy)]
pub(crate) enum Weights<'a> {
    Forward(&'a [f32]),
    Flipped(&'a [f32]),
}

impl Slide {
    /// A window of side `size` that makes maps of a shape, `image` numbers apart.
    pub(crate) fn new(
        input: Layout,
        (size, stride): (usize, usize),
        (shape, image): (Shape, usize),
        group: usize,
    ) -> Self {
        let (taken, made) = (input.shape.channels, shape.channels);
        let mut rows = Vec::with_capacity(group * shape.height * shape.width);
        for k in 0..group {
            for y in 0..shape.height {
                for x in 0..shape.width {
                    let corner = y * stride * input.row + x * stride * taken;
                    let to = k * image + (y * shape.width + x) * made;
                    rows.push(Row { from: k * input.image + corner, to });
                }
            }
        }
        let run = size * taken;
        let segments: Vec<Segment> =
            (0..size).map(|row| Segment { offset: row * input.row, len: run }).collect();
        let tiles = Tiles::fit((size, stride), input, shape);
        let fold = Fold::fit((size, stride), (input, shape));
        let blocks = match &fold {
            Some(fold) => blocks(fold.segments()),
            None => blocks(segments.iter().copied()),
        };
        Self {
            cells: size * size,
            channels: (taken, made),
            places: shape.height * shape.width,
            blocks,
            fold: fold.map(|fold| (fold, fold.rows(&rows))),
            rows,
            segments,
            tiles,
        }
    }

    /// Brings weights into the form in which they are multiplied.
    pub(crate) fn load(&self, arch: Arch, weights: Weights<'_>, scratch: &mut Scratch) {
        let (taken, made) = self.channels;
        let total = self.fold.as_ref().map_or(self.cells * taken, |(fold, _)| fold.depth());
        let panels = self.panels(arch);
        let need = total * panels.padded();
        let packed = scratch.packed.get_or_insert_with(|| Aligned::new(need));
        if packed.len() < need {
            *packed = Aligned::new(need);
        }
        if let Some((fold, _)) = &self.fold {
            let packed = &mut packed[..need];
            let at = |cell: usize, from: usize, to: usize| match weights {
                Weights::Forward(all) => all[(cell * taken + from) * made + to],
                Weights::Flipped(all) => all[((self.cells - 1 - cell) * made + to) * taken + from],
            };
            fold.pack(panels, at, packed);
            return;
        }
        match weights {
            Weights::Forward(matrix) => {
                arch.dispatch(Pack {
                    panels,
                    matrix,
                    stride: made,
                    rows: total,
                    total,
                    first: 0,
                    out: packed,
                });
            }
            Weights::Flipped(weights) => {
                for (cell, matrix) in weights.chunks_exact(taken * made).enumerate() {
                    let first = (self.cells - 1 - cell) * taken;
                    let (stride, rows) = (taken, taken);
                    arch.dispatch(PackTransposed(Pack {
                        panels,
                        matrix,
                        stride,
                        rows,
                        total,
                        first,
                        out: packed,
                    }));
                }
            }
        }
        if let Some(tiles) = &self.tiles {
            tiles.load(arch, panels, packed, &mut scratch.tiles);
        }
    }

    /// Outputs of a row.
    fn panels(&self, arch: Arch) -> Panels {
        let made = self.channels.1;
        panels(arch, self.fold.as_ref().map_or(made, |(fold, _)| fold.columns()))
    }

    /// The product at every place of some images, with the weights loaded last.
    pub(crate) fn multiply(
        &self,
        arch: Arch,
        (input, images): (&[f32], usize),
        scratch: &mut Scratch,
        out: &mut [f32],
    ) {
        let rows = match &self.fold {
            Some((_, rows)) => &rows[..images * (rows.len() / (self.rows.len() / self.places))],
            None => &self.rows[..images * self.places],
        };
        let panels = self.panels(arch);
        match (&self.tiles, &mut scratch.tiles, &scratch.packed) {
            (Some(tiles), Some(scratch), _) => {
                tiles.multiply(arch, panels, (input, rows), scratch, out);
            }
            (_, _, Some(packed)) => {
                multiply(arch, (input, rows), &self.blocks, (packed, panels), out);
            }
            _ => {}
        }
    }

    /// Whether the gradient is collected in another form than that of the weights, by [`Self::add_products`], and only
    /// at the end brought into theirs, by [`Self::collect`].
    pub(crate) fn collects(&self, arch: Arch) -> bool {
        self.tiles.is_some() || self.fold.is_some() && self.panels(arch).iter().count() == 1
    }

    /// Adds what some images contribute to the gradient, or begins anew. Errors are at `places`, with `row` numbers
    /// from a row of pixels to the next.
    pub(crate) fn add_products(
        &self,
        arch: Arch,
        input: &[f32],
        (errors, places, row): (&[f32], &[Row], usize),
        scratch: &mut Scratch,
        add: bool,
    ) {
        let panels = self.panels(arch);
        if let (Some(tiles), Some(scratch)) = (&self.tiles, &mut scratch.tiles) {
            let rows = &self.rows[..places.len()];
            tiles.outer(arch, panels, (input, rows), (errors, places, row), scratch, add);
        } else if let Some((fold, rows)) = &self.fold {
            let slopes = &mut scratch.folded;
            fold.outer(arch, panels, (input, rows), (errors, places), (slopes, add));
        }
    }

    /// The gradient of the weights themselves.
    pub(crate) fn collect(&self, arch: Arch, scratch: &Scratch, slopes: &mut [f32], add: bool) {
        if let (Some(tiles), Some(scratch)) = (&self.tiles, &scratch.tiles) {
            tiles.collect(arch, scratch, slopes, add);
        } else if let Some((fold, _)) = &self.fold {
            fold.collect(&scratch.folded, slopes, add);
        }
    }
}
