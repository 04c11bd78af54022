//! Where buffers of agents that train together lie in one allocation.

use crate::agent::Agent;
use crate::direct::{Direct, direct};
use crate::engine::Precision;
use crate::extent::{Extent, Kind};
use crate::images::Form;
use crate::plan::{Op, Pool, convolves};
use crate::source::{vectors, wide};
use crate::steps::trains;
use crate::tile::{Machine, Tile};

/// What agents that train together are used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Steps of their own.
    Train,
    /// One model: gradients are added up.
    Gradient,
    /// One model: losses only.
    Evaluate,
}

/// Sizes that decide about kernels and buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crowd {
    pub(crate) agents: usize,
    pub(crate) batch: usize,
    pub(crate) purpose: Use,
    pub(crate) momentum: bool,
}

impl Crowd {
    /// Agents that there is room for: a power of two or half as many more, so that cohorts of about the same
    /// size share kernels.
    pub(crate) fn places(self) -> usize {
        let above = self.agents.next_power_of_two();
        let between = above / 4 * 3;
        if between >= self.agents { between } else { above }
    }
}

/// Offsets in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) agents: usize,
    pub(crate) clock: usize,
    /// Of updates in a weighted sum.
    pub(crate) weights: usize,
    pub(crate) start: usize,
    /// What lies before is copied at once when a round begins.
    pub(crate) params: usize,
    /// The same, rounded as the precision wants factors to be; else the same numbers.
    pub(crate) factors: usize,
    pub(crate) velocity: Option<usize>,
    /// Double precision: gradients of all batches, or a weighted sum of updates.
    pub(crate) sum: usize,
    pub(crate) ops: Vec<OpLayout>,
    /// Of the whole allocation.
    pub(crate) bytes: usize,
}

/// Buffers of one op.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpLayout {
    pub(crate) made: usize,
    /// What went into the activation.
    pub(crate) raw: Option<usize>,
    /// Which number of a pool was largest.
    pub(crate) index: Option<usize>,
    /// With respect to what was made.
    pub(crate) gradient: Option<usize>,
    /// Of a product: forward, then backward.
    pub(crate) products: Vec<ProductLayout>,
    /// In place of products, where a layer is computed directly.
    pub(crate) directs: Vec<DirectLayout>,
}

/// One direct kernel of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DirectLayout {
    pub(crate) cut: Direct,
    pub(crate) partial: usize,
    pub(crate) arrivals: usize,
}

/// One product of a layer, cut among blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProductLayout {
    pub(crate) kind: Kind,
    pub(crate) extent: Extent,
    pub(crate) tile: Tile,
    pub(crate) partial: usize,
    pub(crate) arrivals: usize,
}

/// How images lie in memory, as far as kernels are cut by it.
fn stored(ops: &[Op]) -> Form {
    let channels = match ops.first() {
        Some(Op::Product(product)) => product.input.channels,
        _ => 1,
    };
    Form::new(true, channels, convolves(ops))
}

/// Floats between the parameters of two agents: vectors of four stay aligned.
pub(crate) fn stride(dim: usize) -> usize {
    dim.next_multiple_of(32)
}

impl Layout {
    pub(crate) fn new(
        ops: &[Op],
        dim: usize,
        crowd: Crowd,
        machine: Machine,
        precision: Precision,
    ) -> Self {
        let mut bytes = 0;
        let mut take = |size: usize| {
            let at = bytes;
            bytes = (bytes + size).next_multiple_of(256);
            at
        };
        let Crowd { agents, batch, purpose, momentum } = crowd;
        let samples = agents * batch;
        let all = 4 * stride(dim) * agents;
        let (who, clock) = (take(size_of::<Agent>() * agents), take(8));
        let (weights, start, params) = (take(4 * agents), take(4 * dim), take(all));
        let factors = match precision {
            Precision::Tf32 => take(all),
            Precision::Bf16 => take(all / 2),
            Precision::Fp32 | Precision::Tf32x3 => params,
        };
        let velocity = momentum.then(|| take(all));
        let sum = take(if purpose == Use::Evaluate { 0 } else { 8 * dim });
        let form = stored(ops);
        let made = ops
            .iter()
            .enumerate()
            .map(|(place, op)| {
                let numbers = samples * op.outputs();
                // Bytes of a number of what it makes, and of its gradient.
                let (each, slope) = match op {
                    Op::Product(product) => {
                        let halves = product.halves(precision);
                        let size = |half: bool| if half { 2 } else { 4 };
                        (size(halves.activations.1), size(halves.gradients.1))
                    }
                    _ => (4, 4),
                };
                let made = take(each * numbers);
                let (mut raw, mut index, mut kinds) = (None, None, Vec::new());
                match op {
                    Op::Product(product) => {
                        raw = product.keeps_input().then(|| take(4 * numbers));
                        index = product.pools.then(|| take(numbers));
                        kinds.push(Kind::Forward);
                        if purpose != Use::Evaluate {
                            kinds.extend(trains(&ops[..place]).then_some(Kind::Input));
                            kinds.push(Kind::Weight);
                        }
                    }
                    Op::Point(point) => {
                        index = (point.pool == Some(Pool::Max)).then(|| take(2 * numbers));
                    }
                    Op::Gather(_) | Op::Dropout { .. } => {}
                }
                let gradients = match op {
                    Op::Product(product) => samples * product.gradients(),
                    _ => numbers,
                };
                let gradient = (purpose != Use::Evaluate).then(|| take(slope * gradients));
                let mut directs = Vec::new();
                if let Op::Product(product) = op
                    && direct(product)
                {
                    directs.extend(kinds.drain(..).map(|kind| {
                        let cut = Direct::new(product, kind, crowd, machine.processors);
                        let partial = take(4 * cut.partials() * agents);
                        let arrivals = take(4 * cut.counters() * agents);
                        DirectLayout { cut, partial, arrivals }
                    }));
                }
                let products = kinds.into_iter().map(|kind| {
                    let Op::Product(product) = op else { unreachable!("only products have kinds") };
                    let (wide, vectors) = (wide(product, form), vectors(product, kind, form));
                    let lie = product.lie(kind, precision);
                    let extent = Extent::new(product, kind, batch, wide, vectors, lie);
                    let tile = Tile::choose(kind, extent, agents, machine, precision);
                    let partial = take(4 * tile.partials(extent, agents));
                    let arrivals = take(4 * tile.counters(extent, agents));
                    ProductLayout { kind, extent, tile, partial, arrivals }
                });
                let products = products.collect();
                OpLayout { made, raw, index, gradient, products, directs }
            })
            .collect();
        Self {
            agents: who,
            clock,
            weights,
            start,
            params,
            factors,
            velocity,
            sum,
            ops: made,
            bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::plan;
    use crate::plan::tests::known;
    use crate::tile::tests::H200;

    fn layout(name: &str, crowd: Crowd) -> Layout {
        let network = known(name);
        Layout::new(&plan(&network), network.dim(), crowd, H200, Precision::Tf32)
    }

    #[test]
    fn memory_grows_with_agents_batches_and_momentum() {
        let crowd = Crowd { agents: 4, batch: 32, purpose: Use::Train, momentum: false };
        let few = layout("cnn-wide", crowd).bytes;
        let dim = known("cnn-wide").dim();
        // At least weights, rounded and not, what the layers make, and its gradients: of all pixels, where
        // products pool.
        let (pooled, made) = (32 * 8 * 8 * 64, 32 * (16 * 16 * 32 + 512 + 10));
        let numbers = 2 * dim + 5 * pooled + 2 * made;
        assert!(few > 4 * 4 * numbers);
        let many = layout("cnn-wide", Crowd { agents: 64, ..crowd }).bytes;
        assert!(many > 4 * 64 * numbers && many < 6 * 64 * numbers);
        assert!(layout("cnn-wide", Crowd { batch: 64, ..crowd }).bytes > few);
        let ball = layout("cnn-wide", Crowd { momentum: true, ..crowd }).bytes;
        assert_eq!(ball - few, (4 * 4 * stride(dim)).next_multiple_of(256));
        assert!(layout("cnn-wide", Crowd { purpose: Use::Evaluate, ..crowd }).bytes < few);
    }

    #[test]
    fn halves_take_half_the_memory() {
        let network = known("vgg11");
        let (ops, dim) = (plan(&network), network.dim());
        let crowd = Crowd { agents: 2, batch: 32, purpose: Use::Train, momentum: false };
        let of = |precision| Layout::new(&ops, dim, crowd, H200, precision);
        let (floats, halves) = (of(Precision::Tf32), of(Precision::Bf16));
        let copies = |each: usize| (each * 2 * stride(dim)).next_multiple_of(256);
        assert_eq!(floats.sum - floats.factors, copies(4));
        assert_eq!(halves.sum - halves.factors, copies(2));
        // Of 64 channels of 16x16 pixels, pooled; gradients are of all pixels.
        let made = |layout: &Layout| {
            let op = &layout.ops[0];
            let (index, gradient) = (op.index.expect("a pool"), op.gradient.expect("a gradient"));
            (index - op.made, gradient - index)
        };
        let numbers = 2 * 32 * 64 * 16 * 16;
        assert_eq!(made(&floats), (4 * numbers, numbers));
        assert_eq!(made(&halves), (2 * numbers, numbers));
        // Logits and their slopes stay floats.
        let last = |layout: &Layout| {
            let op = &layout.ops[10];
            op.gradient.expect("a gradient") - op.made
        };
        assert_eq!(last(&halves), (4 * 2 * 32 * 10_usize).next_multiple_of(256));
        assert!(halves.bytes < floats.bytes);
    }

    #[test]
    fn cohorts_of_about_the_same_size_share_kernels() {
        let places =
            |agents| Crowd { agents, batch: 1, purpose: Use::Train, momentum: false }.places();
        let counts = [1, 2, 3, 4, 5, 6, 7, 9, 13, 48, 50, 65, 128];
        assert_eq!(counts.map(places), [1, 2, 3, 4, 6, 6, 8, 12, 16, 48, 64, 96, 128]);
    }

    #[test]
    fn buffers_do_not_overlap() {
        let crowd = Crowd { agents: 3, batch: 10, purpose: Use::Train, momentum: true };
        for name in ["cnn", "cnn-smooth", "vgg11", "mlp"] {
            let layout = layout(name, crowd);
            let mut starts = vec![layout.agents, layout.clock, layout.weights, layout.start];
            starts.extend([layout.params, layout.sum]);
            starts.extend(layout.velocity);
            for op in &layout.ops {
                starts.push(op.made);
                starts.extend(op.raw.iter().chain(&op.index).chain(&op.gradient));
                for product in &op.products {
                    if product.tile.partials(product.extent, crowd.agents) > 0 {
                        starts.extend([product.partial, product.arrivals]);
                    }
                }
                for direct in &op.directs {
                    if direct.cut.counters() > 0 {
                        starts.extend([direct.partial, direct.arrivals]);
                    }
                }
            }
            let count = starts.len();
            starts.sort_unstable();
            starts.dedup();
            assert_eq!(starts.len(), count);
            assert!(starts.iter().all(|start| start % 256 == 0 && *start < layout.bytes));
        }
    }
}
