//! Products of many rows with a packed matrix, in slices that stay in the first-level cache.

use pulp::Arch;

use super::kernel::{Multiply, Panels, Row, Segment};

/// Rows of a panel that are used at a time: with 32 columns 20 KiB at most.
const SLICE: usize = 160;

/// Some segments of all rows, as many as a slice of a panel has rows.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) segments: Vec<Segment>,
    /// The first row of the panels that belongs to them.
    pub(crate) first: usize,
    /// How many.
    pub(crate) len: usize,
}

/// Cuts segments into blocks: short ones together, long ones into even parts.
pub(crate) fn blocks(segments: impl IntoIterator<Item = Segment>) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut first = 0;
    for Segment { offset, len } in segments {
        let parts = len.div_ceil(SLICE + SLICE / 4);
        for part in 0..parts {
            let (begin, end) = (len * part / parts, len * (part + 1) / parts);
            let segment = Segment { offset: offset + begin, len: end - begin };
            match blocks.last_mut().filter(|block| block.len + segment.len <= SLICE) {
                Some(block) => {
                    block.segments.push(segment);
                    block.len += segment.len;
                }
                None => blocks.push(Block { segments: vec![segment], first, len: segment.len }),
            }
            first += segment.len;
        }
    }
    blocks
}

/// `out = rows * matrix`, the matrix packed into panels of `total` rows.
pub(crate) fn multiply(
    arch: Arch,
    (input, rows): (&[f32], &[Row]),
    blocks: &[Block],
    (packed, panels): (&[f32], Panels),
    out: &mut [f32],
) {
    let total: usize = blocks.iter().map(|block| block.len).sum();
    for panel in panels.iter() {
        let whole = &packed[panel.column * total..][..total * panel.padded];
        for (index, block) in blocks.iter().enumerate() {
            arch.dispatch(Multiply {
                input,
                rows,
                segments: &block.segments,
                panel: &whole[block.first * panel.padded..][..block.len * panel.padded],
                out: &mut *out,
                column: panel.column,
                width: panel.width,
                add: index > 0,
            });
        }
    }
}
