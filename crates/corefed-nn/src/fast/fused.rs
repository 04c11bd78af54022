//! What is done to the sums of a convolution while they are in the cache.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use pulp::Arch;

use super::kernel::{Loops, Row, Run};
use super::layout::Layout;
use crate::Shape;

/// Biases are always added; then perhaps ReLU, then perhaps the largest of every 2x2 pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fused {
    pub(crate) relu: bool,
    pub(crate) pool: bool,
}

/// Which of four pixels was the largest; [`NONE`] where ReLU left nothing.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    winners: Vec<u8>,
    /// Numbers of one pooled image.
    image: usize,
}

const NONE: u8 = 4;

impl Kept {
    pub(crate) fn new(fused: Fused, maps: Shape, batch: usize) -> Self {
        let image =
            if fused.pool { (maps.height / 2) * (maps.width / 2) * maps.channels } else { 0 };
        Self { winners: vec![NONE; batch * image], image }
    }

    /// From some image on.
    pub(crate) fn from(&mut self, first: usize) -> &mut [u8] {
        &mut self.winners[first * self.image..]
    }
}

impl Fused {
    /// From sums of whole images, pixel by pixel, to what the next layer takes.
    pub(crate) fn forward(
        self,
        arch: Arch,
        (sums, maps): (&[f32], Shape),
        biases: &[f32],
        (out, layout): (&mut [f32], Layout),
        kept: &mut [u8],
    ) {
        let work = Forward { sums, maps, biases, out, layout, kept };
        match self {
            Self { relu: false, pool: false } => arch.dispatch(Run(Direct::<false>(work))),
            Self { relu: true, pool: false } => arch.dispatch(Run(Direct::<true>(work))),
            Self { relu: false, pool: true } => arch.dispatch(Run(Pooled::<false>(work))),
            Self { relu: true, pool: true } => arch.dispatch(Run(Pooled::<true>(work))),
        }
    }

    /// From errors of what the next layer takes to those of the sums, wherever they have their places.
    pub(crate) fn backward(
        self,
        arch: Arch,
        (error, outer): (&[f32], Layout),
        (out, layout): (&[f32], Layout),
        kept: &[u8],
        (spread, places, maps): (&mut [f32], &[Row], Shape),
    ) {
        let work = Backward { error, outer, out, layout, kept, spread, places, maps };
        match self {
            Self { pool: true, .. } => arch.dispatch(Run(Unpool(work))),
            Self { relu: true, .. } => arch.dispatch(Run(Spread::<true>(work))),
            Self { relu: false, .. } => arch.dispatch(Run(Spread::<false>(work))),
        }
    }
}

struct Forward<'a> {
    sums: &'a [f32],
    maps: Shape,
    biases: &'a [f32],
    out: &'a mut [f32],
    layout: Layout,
    kept: &'a mut [u8],
}

struct Direct<'a, const RELU: bool>(Forward<'a>);

impl<const RELU: bool> Loops for Direct<'_, RELU> {
    #[inline(always)]
    fn run(self) {
        let Forward { sums, maps, biases, out, layout, .. } = self.0;
        let made = biases.len();
        let images = sums.chunks_exact(maps.len()).zip(out.chunks_exact_mut(layout.image));
        for (sums, out) in images {
            for y in 0..maps.height {
                let sums = sums[y * maps.width * made..].chunks_exact(made).take(maps.width);
                for (out, sums) in out[layout.at(y, 0)..].chunks_exact_mut(made).zip(sums) {
                    for ((out, &sum), &bias) in out.iter_mut().zip(sums).zip(biases) {
                        *out = rectify::<RELU>(sum + bias);
                    }
                }
            }
        }
    }
}

/// ReLU that lets through what is not a number.
#[inline(always)]
fn rectify<const RELU: bool>(x: f32) -> f32 {
    if RELU && x < 0.0 { 0.0 } else { x }
}

struct Pooled<'a, const RELU: bool>(Forward<'a>);

impl<const RELU: bool> Loops for Pooled<'_, RELU> {
    #[inline(always)]
    fn run(self) {
        let Forward { sums, maps, biases, out, layout, kept } = self.0;
        let made = biases.len();
        let (height, width) = (maps.height / 2, maps.width / 2);
        let mut kept = kept.chunks_exact_mut(made);
        let images = sums.chunks_exact(maps.len()).zip(out.chunks_exact_mut(layout.image));
        for (sums, out) in images {
            for y in 0..height {
                let line = maps.width * made;
                let (above, below) = sums[2 * y * line..][..2 * line].split_at(line);
                let pairs = above.chunks_exact(2 * made).zip(below.chunks_exact(2 * made));
                let out = out[layout.at(y, 0)..].chunks_exact_mut(made).take(width);
                for (((above, below), out), kept) in pairs.zip(out).zip(&mut kept) {
                    let (a, b) = above.split_at(made);
                    let (c, d) = below.split_at(made);
                    largest::<RELU>([a, b, c, d], biases, out, kept);
                }
            }
        }
    }
}

#[inline(always)]
fn largest<const RELU: bool>(
    rivals: [&[f32]; 4],
    biases: &[f32],
    out: &mut [f32],
    kept: &mut [u8],
) {
    let len = out.len();
    let [a, b, c, d] = rivals.map(|rival| &rival[..len]);
    let (biases, kept) = (&biases[..len], &mut kept[..len]);
    for n in 0..len {
        let (mut best, mut which) = (a[n], 0_u8);
        for (index, rival) in [(1, b[n]), (2, c[n]), (3, d[n])] {
            let wins = rival > best;
            which = if wins { index } else { which };
            best = if wins { rival } else { best };
        }
        let value = best + biases[n];
        out[n] = rectify::<RELU>(value);
        kept[n] = if RELU && value <= 0.0 { NONE } else { which };
    }
}

struct Backward<'a> {
    error: &'a [f32],
    outer: Layout,
    out: &'a [f32],
    layout: Layout,
    kept: &'a [u8],
    spread: &'a mut [f32],
    places: &'a [Row],
    maps: Shape,
}

struct Unpool<'a>(Backward<'a>);

impl Loops for Unpool<'_> {
    #[inline(always)]
    fn run(self) {
        let Backward { error, outer, kept, spread, places, maps, .. } = self.0;
        let made = maps.channels;
        let mut kept = kept.chunks_exact(made);
        let images = places.chunks_exact(maps.height * maps.width);
        for (places, error) in images.zip(error.chunks_exact(outer.image)) {
            let pixels = error.chunks_exact(made);
            let corners = (0..maps.height / 2)
                .flat_map(|y| (0..maps.width / 2).map(move |x| 2 * (y * maps.width + x)));
            for ((corner, error), kept) in corners.zip(pixels).zip(&mut kept) {
                for (index, step) in [(0, 0), (1, 1), (2, maps.width), (3, maps.width + 1)] {
                    let out = &mut spread[places[corner + step].from..][..made];
                    for ((out, &error), &kept) in out.iter_mut().zip(error).zip(kept) {
                        *out = if kept == index { error } else { 0.0 };
                    }
                }
            }
        }
    }
}

struct Spread<'a, const RELU: bool>(Backward<'a>);

impl<const RELU: bool> Loops for Spread<'_, RELU> {
    #[inline(always)]
    fn run(self) {
        let Backward { error, outer, out, layout, spread, places, maps, .. } = self.0;
        let made = maps.channels;
        let images = error.chunks_exact(outer.image).zip(out.chunks_exact(layout.image));
        for (places, (error, out)) in places.chunks_exact(maps.height * maps.width).zip(images) {
            for (y, places) in places.chunks_exact(maps.width).enumerate() {
                let error = error[outer.at(y, 0)..].chunks_exact(made);
                let out = out[layout.at(y, 0)..].chunks_exact(made);
                for ((place, error), out) in places.iter().zip(error).zip(out) {
                    let spread = &mut spread[place.from..][..made];
                    for ((to, &error), &out) in spread.iter_mut().zip(error).zip(out) {
                        *to = if RELU && out <= 0.0 { 0.0 } else { error };
                    }
                }
            }
        }
    }
}
