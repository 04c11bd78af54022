//! Layers, joined to what one kernel does.

use crate::product::Product;
use corefed_nn::{Activation, Layer, Network, Shape, Size, Stage, Window};

use crate::direct::direct;

/// What one kernel does forward, and one or two backward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    /// Images become floats, where the first layer has no weights.
    Gather(Shape),
    /// A convolution or linear layer, with what follows it at once.
    Product(Product),
    /// An activation, a pool, or the one and then the other.
    Point(Point),
    /// Zeroes a share of numbers.
    Dropout { len: usize, rate: f32, layer: usize },
}

/// A function of every number, then perhaps a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) input: Shape,
    pub(crate) output: Shape,
    pub(crate) activation: Option<Activation>,
    pub(crate) pool: Option<Pool>,
    pub(crate) window: Window,
    /// Comes right after images: needs no gradient for its input.
    pub(crate) first: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pool {
    Max,
    Avg,
}

const PIXEL: Window = Window { size: 1, stride: 1, padding: 0 };

impl Op {
    /// Numbers it makes of a sample.
    pub(crate) fn outputs(&self) -> usize {
        match self {
            Self::Gather(shape) => shape.len(),
            Self::Product(product) => product.made().len(),
            Self::Point(point) => point.output.len(),
            Self::Dropout { len, .. } => *len,
        }
    }
}

/// Groups layers into kernels.
pub(crate) fn plan(network: &Network) -> Vec<Op> {
    // Places count all layers: dropout draws by them.
    let (places, stages): (Vec<usize>, Vec<&Stage>) = network
        .stages()
        .iter()
        .enumerate()
        .filter(|(_, stage)| stage.layer != Layer::Flatten)
        .unzip();
    let mut ops = Vec::new();
    if !stages.first().is_some_and(|stage| weighted(stage)) {
        ops.push(Op::Gather(network.input()));
    }
    let mut before = None;
    let mut at = 0;
    while let Some(stage) = stages.get(at) {
        let layer = places[at];
        let first = ops.len() <= usize::from(matches!(ops.first(), Some(Op::Gather(_))));
        at += 1;
        let op = match stage.layer {
            Layer::Conv { .. } | Layer::Linear { .. } => {
                let mut product = product(stage, before, first);
                at += product.take_along(&stages[at..]);
                before = product.activation;
                Op::Product(product)
            }
            Layer::Dropout { rate } => Op::Dropout { len: stage.output.len(), rate, layer },
            _ => {
                let mut point = point(stage, first);
                if point.pool.is_none()
                    && let Some(next) = stages.get(at)
                    && let Some(pool) = pool_of(next.layer)
                {
                    (point.pool, point.window) = (Some(pool.0), pool.1);
                    point.output = maps(next.output);
                    at += 1;
                }
                Op::Point(point)
            }
        };
        if !matches!(op, Op::Product(_)) {
            before = None;
        }
        ops.push(op);
    }
    join(&mut ops);
    ops
}

/// Tells products about their neighbours.
fn join(ops: &mut [Op]) {
    let known = ops.to_vec();
    let neighbour = |place: Option<usize>| match known.get(place?) {
        Some(Op::Product(product)) => Some(product),
        _ => None,
    };
    for (place, op) in ops.iter_mut().enumerate() {
        let Op::Product(product) = op else { continue };
        let (last, next) = (neighbour(place.checked_sub(1)), neighbour(Some(place + 1)));
        let multiplied = |other: Option<&Product>| other.is_some_and(|other| !direct(other));
        let itself = !direct(product);
        product.between = (itself && multiplied(last), itself && multiplied(next));
        let read = last.is_some_and(|last| last.passes_eights(Some(product)));
        product.eights = (read, product.passes_eights(next));
        // Direct kernels write and read gradients of pooled places.
        product.spreads = product.can_spread() && product.between.1;
        let spread = last.filter(|last| last.can_spread() && product.between.0);
        product.behind = spread.map(Product::made);
    }
}

/// Whether anything has weights.
pub(crate) fn trains(ops: &[Op]) -> bool {
    ops.iter().any(|op| matches!(op, Op::Product(_)))
}

/// Whether windows look at images, rather than one layer at all of an image.
pub(crate) fn convolves(ops: &[Op]) -> bool {
    matches!(ops.first(), Some(Op::Product(product)) if product.input.height * product.input.width > 1)
}

impl Product {
    /// Takes activation and pool along where the next layer with weights comes right after; returns how
    /// many layers that are.
    fn take_along(&mut self, next: &[&Stage]) -> usize {
        let activation = match next.first().map(|stage| stage.layer) {
            Some(Layer::Activation(activation)) => Some(activation),
            _ => None,
        };
        let after = usize::from(activation.is_some());
        let window = Window { size: 2, stride: 2, padding: 0 };
        // ReLU and maxima may change places, as it never decreases.
        let pools = self.output.height >= 2
            && self.output.width >= 2
            && matches!(activation, None | Some(Activation::Relu))
            && next.get(after).is_some_and(|stage| stage.layer == Layer::MaxPool(window));
        let taken = after + usize::from(pools);
        if !next.get(taken).is_some_and(|stage| weighted(stage)) {
            return 0;
        }
        self.activation = activation;
        self.pools = pools;
        taken
    }
}

fn weighted(stage: &Stage) -> bool {
    stage.params.is_some()
}

fn product(stage: &Stage, before: Option<Activation>, first: bool) -> Product {
    let (input, output, window) = match stage.layer {
        Layer::Conv { window, .. } => (maps(stage.input), maps(stage.output), window),
        _ => (features(stage.input.len()), features(stage.output.len()), PIXEL),
    };
    let offset = stage.params.as_ref().map_or(0, |params| params.weights.start);
    Product {
        input,
        output,
        window,
        offset,
        activation: None,
        pools: false,
        before,
        first,
        between: (false, false),
        eights: (false, false),
        spreads: false,
        behind: None,
    }
}

fn point(stage: &Stage, first: bool) -> Point {
    let (input, output) = (maps(stage.input), maps(stage.output));
    match (stage.layer, pool_of(stage.layer)) {
        (_, Some((pool, window))) => {
            Point { input, output, activation: None, pool: Some(pool), window, first }
        }
        (Layer::Activation(activation), _) => {
            let activation = Some(activation);
            Point { input, output, activation, pool: None, window: PIXEL, first }
        }
        _ => Point { input, output, activation: None, pool: None, window: PIXEL, first },
    }
}

fn pool_of(layer: Layer) -> Option<(Pool, Window)> {
    match layer {
        Layer::MaxPool(window) => Some((Pool::Max, window)),
        Layer::AvgPool(window) => Some((Pool::Avg, window)),
        _ => None,
    }
}

fn maps(size: Size) -> Shape {
    match size {
        Size::Maps(shape) => shape,
        Size::Features(count) => features(count),
    }
}

fn features(count: usize) -> Shape {
    Shape { height: 1, width: 1, channels: count }
}

#[cfg(test)]
pub(crate) mod tests;
