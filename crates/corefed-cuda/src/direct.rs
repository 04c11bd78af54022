//! Pooled convolutions of few channels, computed directly.
//!
//! A product of matrices wastes most of its work on such layers: tensor cores take eight columns, and three quarters
//! of the gradients behind a 2x2 maximum are zero. Direct kernels keep images in shared memory, sum in single
//! precision whatever the rest of the network is computed in, and skip gradients that are zero.

mod shape;

use std::fmt;

use self::shape::{SHARED, SHARES, Shape, TAPS};
use crate::crowd::Crowd;
use crate::kind::Kind;
use crate::product::Product;
use crate::vectors::vector;

/// Channels and places up to which a layer is computed directly: beyond, matrices pay.
const INPUTS: usize = 8;
const OUTPUTS: usize = 32;
const PLACES: usize = 256;

/// Parts of a gradient that one block can add up in good time.
const PARTS: usize = 32;

/// Whether a layer is computed directly, by its shape alone: windows of at most 5x5 that move by one pixel, with at
/// most 8 channels going in and 32 coming out, whose 2x2 maxima (at most 256) follow at once. All three kernels of a
/// layer are direct, or none.
pub(crate) fn direct(product: &Product) -> bool {
    let (window, made) = (product.window, product.made());
    product.pools
        && window.stride == 1
        && window.size * window.size <= TAPS
        && product.input.channels <= INPUTS
        && product.output.channels <= OUTPUTS
        && made.height * made.width <= PLACES
        && [Kind::Forward, Kind::Input, Kind::Weight]
            .into_iter()
            .all(|kind| Shape::new(product, kind, SHARES[0]).shared(kind, 1) <= SHARED)
}

/// How a direct kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Direct {
    pub(crate) kind: Kind,
    /// Of one agent.
    pub(crate) blocks: usize,
    pub(crate) threads: usize,
    /// In bytes.
    pub(crate) shared: usize,
    /// Images in shared memory at once.
    group: usize,
    /// Images of a block.
    chunk: usize,
    shape: Shape,
}

impl Direct {
    /// Blocks have as many images as keep all multiprocessors busy; sums do not depend on it, but for the order in which
    /// parts of gradients of weights are added up.
    pub(crate) fn new(product: &Product, kind: Kind, crowd: Crowd, processors: usize) -> Self {
        let Crowd { agents, batch, .. } = crowd;
        let mut shape = Shape::new(product, kind, SHARES[0]);
        let (group, chunk) = match kind {
            Kind::Forward => {
                let shapes = SHARES.map(|share| Shape::new(product, kind, share));
                let ways =
                    shapes.iter().flat_map(|shape| (1..=8.min(batch)).map(|group| (*shape, group)));
                let ways = ways.filter(|(shape, group)| shape.shared(kind, *group) <= SHARED);
                let best = ways.min_by_key(|(shape, group)| {
                    shape.cycles(product, *group, batch.div_ceil(*group) * agents, processors)
                });
                let group;
                (shape, group) = best.unwrap_or((shape, 1));
                (group, group)
            }
            Kind::Input => (1, 1),
            Kind::Weight => {
                let busy = (batch * agents).div_ceil(2 * processors);
                let chunk = batch.div_ceil(PARTS).max(busy).min(batch);
                let fits = |group: &usize| shape.shared(kind, *group) <= SHARED;
                ((1..=chunk).rev().find(fits).unwrap_or(1), chunk)
            }
        };
        Self {
            kind,
            blocks: batch.div_ceil(chunk),
            threads: shape.threads(kind, group),
            shared: shape.shared(kind, group),
            group,
            chunk,
            shape,
        }
    }

    /// Floats for the parts of one agent's gradient.
    pub(crate) fn partials(self) -> usize {
        self.counters() * self.blocks * self.shape.tile().next_multiple_of(4)
    }

    /// Counters of parts that have arrived, for one agent.
    pub(crate) fn counters(self) -> usize {
        usize::from(self.kind == Kind::Weight && self.blocks > 1)
    }

    /// Constants of its kernel, besides those of the layer.
    pub(crate) fn constants(self, product: &Product, ticks: bool) -> [(&'static str, usize); 11] {
        let shape = self.shape;
        [
            ("LINE", shape.line),
            ("PLANE", shape.plane),
            ("GROUP", self.group),
            ("CHUNK", self.chunk),
            ("PARTS", self.blocks),
            ("ACROSS", shape.across),
            ("EACH", shape.each),
            ("CO_WARPS", shape.warps(self.group).0),
            ("VC", vector(shape.tile()).min(vector(product.offset))),
            ("TICK", usize::from(ticks)),
            ("SHARED", self.shared),
        ]
    }
}

impl fmt::Display for Direct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { blocks, threads, chunk, shared, .. } = self;
        write!(f, "directly, {blocks} blocks of {threads}, {chunk} images each, {shared} bytes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crowd::Use;
    use crate::plan::tests::{known, network};
    use crate::plan::{Op, plan};

    fn directs(network: &corefed_nn::Network) -> Vec<bool> {
        let product = |op: &Op| match op {
            Op::Product(product) => Some(direct(product)),
            _ => None,
        };
        plan(network).iter().filter_map(product).collect()
    }

    #[test]
    fn shapes_alone_decide_what_is_computed_directly() {
        assert_eq!(directs(&known("cnn")), [true, true, false, false, false]);
        // 32 channels going in are too many; so are 64 coming out.
        assert_eq!(directs(&known("cnn-wide")), [true, false, false, false]);
        assert!(directs(&known("vgg11")).iter().all(|direct| !direct));
        // Nothing is pooled at once, windows move by two, or have more taps than a warp has lanes.
        assert!(directs(&known("cnn-smooth")).iter().all(|direct| !direct));
        let layers = ["conv 6 3 stride=2", "relu", "max-pool 2", "flatten", "linear 10"];
        assert_eq!(directs(&network(&layers)), [false, false]);
        let layers = ["conv 6 6", "relu", "max-pool 2", "flatten", "linear 10"];
        assert_eq!(directs(&network(&layers)), [false, false]);
    }

    #[test]
    fn every_image_has_its_block() {
        for name in ["cnn", "cnn-wide"] {
            let ops = plan(&known(name));
            let Op::Product(product) = &ops[0] else { panic!("a product") };
            for (agents, batch) in [(1, 1), (1, 1024), (3, 64), (12, 64), (64, 10)] {
                let crowd =
                    Crowd { agents, batch, purpose: Use::Train, momentum: false, drift: false };
                for kind in [Kind::Forward, Kind::Weight] {
                    let cut = Direct::new(product, kind, crowd, 132);
                    assert!(
                        cut.blocks * cut.chunk >= batch && (cut.blocks - 1) * cut.chunk < batch
                    );
                    assert!(cut.group <= cut.chunk && cut.shared <= SHARED && cut.threads <= 640);
                }
                assert!(Direct::new(product, Kind::Weight, crowd, 132).blocks <= PARTS);
            }
        }
    }
}
