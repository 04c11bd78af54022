//! Windows with few outputs: several places side by side become one row.
//!
//! Six channels would leave ten of sixteen lanes idle. Two neighbouring places read nearly the same pixels, and their outputs
//! lie side by side; so a row takes the pixels of both, and the matrix holds the weights twice, shifted, with zeros
//! elsewhere.

use pulp::Arch;

use super::aligned::Aligned;
use super::kernel::{Outer, Panels, Row, Segment};
use super::layout::Layout;
use crate::Shape;

/// Lanes that should be filled.
const LANES: usize = 16;
/// Rows whose errors are packed at a time.
const CHUNK: usize = 128;

/// How places are taken together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fold {
    /// Places of a row.
    pub(crate) places: usize,
    size: usize,
    stride: usize,
    taken: usize,
    made: usize,
    /// Numbers of a row of input pixels.
    input_row: usize,
}

/// The gradient of folded weights, and errors on their way to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folded {
    slopes: Option<Aligned>,
    chunk: Option<Aligned>,
}

impl Fold {
    /// Only where it saves multiplications, and lines are made of whole rows.
    pub(crate) fn fit(
        (size, stride): (usize, usize),
        (input, shape): (Layout, Shape),
    ) -> Option<Self> {
        let (taken, made, width) = (input.shape.channels, shape.channels, shape.width);
        let places = (2..=LANES / made).rev().find(|places| width.is_multiple_of(*places))?;
        let fold = Self { places, size, stride, taken, made, input_row: input.row };
        (fold.across() < places * size).then_some(fold)
    }

    /// Pixels of a row of the window and its neighbours.
    fn across(&self) -> usize {
        self.size + (self.places - 1) * self.stride
    }

    pub(crate) fn columns(&self) -> usize {
        self.places * self.made
    }

    /// Numbers that all segments of a row have together.
    pub(crate) fn depth(&self) -> usize {
        self.size * self.across() * self.taken
    }

    /// The rows of pixels that a row of places reads.
    pub(crate) fn segments(&self) -> impl Iterator<Item = Segment> {
        let (len, input_row) = (self.across() * self.taken, self.input_row);
        (0..self.size).map(move |row| Segment { offset: row * input_row, len })
    }

    /// From the places of images.
    pub(crate) fn rows(&self, places: &[Row]) -> Vec<Row> {
        places.iter().copied().step_by(self.places).collect()
    }

    /// Packs weights: `weight(cell, taken, made)`.
    pub(crate) fn pack(
        &self,
        panels: Panels,
        weight: impl Fn(usize, usize, usize) -> f32,
        packed: &mut [f32],
    ) {
        let total = self.depth();
        packed.fill(0.0);
        for cell in 0..self.size * self.size {
            let (row, column) = (cell / self.size, cell % self.size);
            for place in 0..self.places {
                let pixel = row * self.across() + column + place * self.stride;
                for from in 0..self.taken {
                    for to in 0..self.made {
                        let at =
                            panels.at(total, pixel * self.taken + from, place * self.made + to);
                        packed[at] = weight(cell, from, to);
                    }
                }
            }
        }
    }

    /// Adds products of rows and errors to the gradient of the folded weights, all in one panel, or begins anew.
    pub(crate) fn outer(
        &self,
        arch: Arch,
        panels: Panels,
        (input, rows): (&[f32], &[Row]),
        (errors, places): (&[f32], &[Row]),
        (folded, add): (&mut Folded, bool),
    ) {
        let (columns, padded) = (self.columns(), panels.padded());
        let slopes = folded.slopes.get_or_insert_with(|| Aligned::new(self.depth() * columns));
        let chunk = folded.chunk.get_or_insert_with(|| Aligned::new(CHUNK * padded));
        let count = places.len() / self.places;
        let places = places.chunks(CHUNK * self.places);
        for (index, (rows, places)) in rows[..count].chunks(CHUNK).zip(places).enumerate() {
            let packed = chunk.chunks_exact_mut(padded);
            for (packed, places) in packed.zip(places.chunks_exact(self.places)) {
                for (packed, place) in packed.chunks_exact_mut(self.made).zip(places) {
                    packed.copy_from_slice(&errors[place.from..][..self.made]);
                }
            }
            for (row, segment) in self.segments().enumerate() {
                arch.dispatch(Outer {
                    input,
                    offset: segment.offset,
                    len: segment.len,
                    rows,
                    panel: &chunk[..rows.len() * padded],
                    out: &mut slopes[row * segment.len * columns..][..segment.len * columns],
                    stride: columns,
                    column: 0,
                    width: columns,
                    add: add || index > 0,
                });
            }
        }
    }

    /// The gradient of the weights from that of the folded ones.
    pub(crate) fn collect(&self, folded: &Folded, out: &mut [f32], add: bool) {
        let Some(slopes) = &folded.slopes else { return };
        if !add {
            out.fill(0.0);
        }
        for (cell, out) in out.chunks_exact_mut(self.taken * self.made).enumerate() {
            for (from, out) in out.chunks_exact_mut(self.made).enumerate() {
                for place in 0..self.places {
                    let pixel = cell / self.size * self.across() + cell % self.size;
                    let row = (pixel + place * self.stride) * self.taken + from;
                    let slopes = &slopes[row * self.columns() + place * self.made..];
                    for (out, slope) in out.iter_mut().zip(slopes) {
                        *out += slope;
                    }
                }
            }
        }
    }
}
