//! Gradients of weights from tiles: products of transformed pixels with transformed errors.

use pulp::Arch;

use super::{BLOCK, Scratch, Tiles, reserve, strides};
use crate::fast::kernel::{Cut, Matrices, Outer, Panels, Row, Strides};
use crate::fast::layout::spread;

impl Tiles {
    /// The gradient of the weights from that of the transformed ones.
    pub(crate) fn collect(&self, arch: Arch, scratch: &Scratch, slopes: &mut [f32], add: bool) {
        let len = self.taken * self.made;
        let input = &scratch.slopes;
        self.method.slopes(arch, Matrices { input, len, out: slopes, stride: len, add });
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
        let mut corners = std::mem::take(&mut scratch.corners);
        let mut others = std::mem::take(&mut scratch.others);
        self.corners(rows, &mut corners);
        self.corners(places, &mut others);
        let blocks = corners.chunks(BLOCK).zip(others.chunks(BLOCK));
        for (index, (corners, places)) in blocks.enumerate() {
            let errors = (errors, places, row);
            self.outer_block(arch, panels, (input, corners), errors, scratch, add || index > 0);
        }
        (scratch.corners, scratch.others) = (corners, others);
    }

    /// The same for a few tiles.
    fn outer_block(
        &self,
        arch: Arch,
        panels: Panels,
        (input, corners): (&[f32], &[Row]),
        (errors, places, row): (&[f32], &[Row], usize),
        scratch: &mut Scratch,
        add: bool,
    ) {
        self.transform(arch, (input, corners), scratch);
        let count = corners.len();
        let (from, width) = (strides(self.taken, count), panels.width());
        let to = Strides { tile: width, stretch: spread(count * self.made) };
        reserve(&mut scratch.sums, self.products() * to.stretch);
        let work = Cut {
            input: errors,
            corners: places,
            row,
            channels: self.made,
            width,
            out: &mut scratch.sums,
            strides: to,
        };
        self.method.errors_to_tiles(arch, work);
        let matrix = self.taken * self.made;
        reserve(&mut scratch.slopes, self.products() * matrix);
        for product in 0..self.products() {
            let errors = &scratch.sums[product * to.stretch..];
            for panel in panels.iter() {
                arch.dispatch(Outer {
                    input: &scratch.tiles[product * from.stretch..],
                    offset: 0,
                    len: self.taken,
                    rows: &scratch.rows,
                    panel: &errors[panel.column * count..][..count * panel.padded],
                    out: &mut scratch.slopes[product * matrix..][..matrix],
                    stride: self.made,
                    column: panel.column,
                    width: panel.width,
                    add,
                });
            }
        }
    }
}
