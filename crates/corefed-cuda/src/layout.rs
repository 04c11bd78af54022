//! Where buffers of agents that train together lie in one allocation.

use crate::agent::Agent;
use crate::crowd::{Crowd, Use};
use crate::direct::{Direct, direct};
use crate::extent::Extent;
use crate::form::Form;
use crate::kind::Kind;
use crate::plan::trains;
use crate::plan::{Op, Pool, convolves};
use crate::precision::Precision;
use crate::tile::{Machine, Tile};
use crate::vectors::{vectors, wide};

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
    /// What is added to gradients, by agent.
    pub(crate) drift: Option<usize>,
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
        let Crowd { agents, batch, purpose, momentum, drift } = crowd;
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
        let drift = drift.then(|| take(all));
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
            drift,
            sum,
            ops: made,
            bytes,
        }
    }
}

#[cfg(test)]
mod tests;
