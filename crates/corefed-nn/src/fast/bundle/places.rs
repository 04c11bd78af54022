//! Where windows and errors are in a bundle. Distances are in vectors, one of which is a number of every image.

use pulp::Arch;

use super::weights::{Turn, pack};
use crate::fast::aligned::Aligned;
use crate::fast::kernel::{Line, MostPlaces, OUTPUTS, Reach, Row, Span, even_parts};
use crate::fast::layout::Layout;
use crate::{Shape, Window};

/// Vectors of errors that one tile of slopes reads again and again: 24 KiB at most.
const NEAR: usize = 384;

/// A window at all places of a bundle, with its weights.
#[derive(Clone, Debug)]
pub(super) struct Slide {
    pub(super) spans: Vec<Span>,
    pub(super) reach: Reach,
    pub(super) weights: Aligned,
}

/// The way back.
#[derive(Clone, Debug)]
pub(super) struct Back {
    /// Over errors that are spread out as the windows were, with zeros between and around.
    pub(super) slide: Slide,
    /// Vectors of these errors.
    pub(super) numbers: usize,
    /// Where they are, in numbers.
    pub(super) places: Vec<Row>,
    /// Rows of places, and how many are multiplied at a time.
    pub(super) lines: Vec<Line>,
    pub(super) near: usize,
    /// From the errors of a place to those of the next.
    pub(super) distance: usize,
}

/// Pixels that are not zero: from `first` on, this many down and across.
struct Clip {
    first: usize,
    height: usize,
    width: usize,
}

impl Slide {
    pub(super) fn forward(arch: Arch, window: Window, input: Layout, maps: Shape) -> Self {
        let taken = input.shape.channels;
        let reach = Reach {
            rows: window.size,
            run: window.size * taken,
            line: input.row,
            step: window.stride * taken,
            made: maps.channels,
        };
        Self::new(arch, (maps, window.stride), reach, None)
    }

    fn new(arch: Arch, (maps, stride): (Shape, usize), reach: Reach, clip: Option<Clip>) -> Self {
        let Reach { rows, run, line, step, made } = reach;
        let (pixel, most) = (run / rows, arch.dispatch(MostPlaces));
        let clip = clip.unwrap_or(Clip { first: 0, height: usize::MAX, width: usize::MAX });
        let end = |len: usize| clip.first.saturating_add(len);
        let mut spans = Vec::new();
        for y in 0..maps.height {
            // Of the window's rows those with pixels that are not zero.
            let top = y * stride;
            let rows =
                (clip.first.saturating_sub(top), rows.min(end(clip.height).saturating_sub(top)));
            let mut x = 0;
            for places in even_parts(maps.width, most) {
                let (left, last) = (x * stride, (x + places - 1) * stride);
                let begin = clip.first.saturating_sub(last) * pixel;
                let run =
                    (begin, run.min(end(clip.width).saturating_sub(left).saturating_mul(pixel)));
                let (from, to) = (top * line + x * step, (y * maps.width + x) * made);
                spans.push(Span { from, to, places, rows, run });
                x += places;
            }
        }
        Self { spans, reach, weights: Aligned::new(rows * run * made) }
    }

    /// Brings weights into the order in which they are multiplied.
    pub(super) fn load(&mut self, weights: &[f32], turn: Turn) {
        pack(weights, turn, self.reach, &mut self.weights);
    }
}

impl Back {
    pub(super) fn new(
        arch: Arch,
        window: Window,
        (input, maps): (Layout, Shape),
        lanes: usize,
    ) -> Self {
        let Window { size, stride, padding } = window;
        let (shape, made) = (input.shape, maps.channels);
        let line = (shape.width + size - 1) * made;
        let reach = Reach { rows: size, run: size * made, line, step: made, made: shape.channels };
        let first = size - 1 - padding;
        let extent = |places: usize| (places - 1) * stride + 1;
        let clip = Clip { first, height: extent(maps.height), width: extent(maps.width) };
        let errors = |y: usize, x: usize| (first + y * stride) * line + (first + x * stride) * made;
        let mut places = Vec::with_capacity(maps.height * maps.width);
        let mut lines = Vec::with_capacity(maps.height);
        for y in 0..maps.height {
            lines.push(Line { window: y * stride * input.row, errors: errors(y, 0) });
            places.extend((0..maps.width).map(|x| Row { from: errors(y, x) * lanes, to: 0 }));
        }
        Self {
            slide: Slide::new(arch, (shape, 1), reach, Some(clip)),
            numbers: (shape.height + size - 1) * line,
            places,
            lines,
            near: (NEAR / (maps.width * made.min(OUTPUTS))).max(1),
            distance: stride * made,
        }
    }
}
