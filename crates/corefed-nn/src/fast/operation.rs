//! The operations of a network: its layers, some fused, with their scratch.

use pulp::Arch;

use super::bundle::Bundle;
use super::conv::Conv;
use super::fused::Fused;
use super::layout::Layout;
use super::linear::Linear;
use super::passed::{Passed, Slopes};
use super::pointwise::{Activate, Drop, Masks};
use super::pool::{AvgPool, MaxPool};
use crate::{Activation, Layer, Network, Stage, Window};

/// One operation between two layouts.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    kind: Kind,
    /// The layer whose parameters it uses.
    stage: Stage,
    pub(crate) input: Layout,
    pub(crate) output: Layout,
}

#[derive(Clone, Debug)]
enum Kind {
    Bundle(Box<Bundle>),
    Conv(Box<Conv>),
    Linear(Box<Linear>),
    Activate(Activate),
    Drop(Drop),
    MaxPool(MaxPool),
    AvgPool(AvgPool),
}

/// A layer with those fused to it.
struct Step {
    /// Place among the layers.
    layer: usize,
    fused: Fused,
    /// Layers that it stands for.
    len: usize,
}

const RELU: Layer = Layer::Activation(Activation::Relu);
const POOL: Layer = Layer::MaxPool(Window { size: 2, stride: 2, padding: 0 });

/// The operations of a network for batches of up to this many images.
pub(crate) fn operations(network: &Network, arch: Arch, batch: usize) -> Vec<Operation> {
    let stages = network.stages();
    let steps = steps(&network.architecture().layers);
    // An operation leaves room for the window of a convolution that comes next.
    let border = |index: usize| match steps.get(index).map(|step| stages[step.layer].layer) {
        Some(Layer::Conv { window, .. }) => window.padding,
        _ => 0,
    };
    let mut operations = Vec::with_capacity(steps.len());
    for (index, step) in steps.iter().enumerate() {
        let stage = &stages[step.layer];
        // Maps or features, as the layer sees them: between the two nothing moves.
        let input = Layout::new(stage.input.as_maps(), border(index));
        let last = &stages[step.layer + step.len - 1];
        let output = Layout::new(last.output.as_maps(), border(index + 1));
        let kind = match stage.layer {
            Layer::Conv { window, .. } => {
                let layouts = (input, stage.output.as_maps(), output);
                if Bundle::suits(layouts.0.shape, layouts.1, batch) {
                    Kind::Bundle(Box::new(Bundle::new(arch, window, layouts, step.fused, batch)))
                } else {
                    Kind::Conv(Box::new(Conv::new(arch, window, layouts, step.fused, batch)))
                }
            }
            Layer::Linear { .. } => {
                Kind::Linear(Box::new(Linear::new(arch, input, output, step.fused.relu, batch)))
            }
            Layer::MaxPool(window) => Kind::MaxPool(MaxPool::new(window, output, batch)),
            Layer::AvgPool(window) => Kind::AvgPool(AvgPool { window }),
            Layer::Activation(activation) => {
                Kind::Activate(Activate::new(activation, output, batch))
            }
            Layer::Dropout { rate } => Kind::Drop(Drop { rate, layer: step.layer }),
            // No step is made of it.
            Layer::Flatten => continue,
        };
        operations.push(Operation { kind, stage: stage.clone(), input, output });
    }
    operations
}

/// Fuses ReLU and pools of 2x2 with the convolution or linear layer before them. Without borders feature maps lie
/// as their features do, so `flatten` is nothing to be done.
fn steps(layers: &[Layer]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut layer = 0;
    while layer < layers.len() {
        let after = |count: usize| layers.get(layer + count).copied();
        let mut fused = Fused::default();
        let mut len = 1;
        let convolves = matches!(layers[layer], Layer::Conv { .. });
        if convolves || matches!(layers[layer], Layer::Linear { .. }) {
            fused.relu = after(len) == Some(RELU);
            len += usize::from(fused.relu);
            fused.pool = convolves && after(len) == Some(POOL);
            len += usize::from(fused.pool);
        }
        if layers[layer] != Layer::Flatten {
            steps.push(Step { layer, fused, len });
        }
        layer += len;
    }
    steps
}

impl Operation {
    pub(crate) fn forward(
        &mut self,
        arch: Arch,
        params: &[f32],
        (input, images): (&[f32], usize),
        out: &mut [f32],
        masks: Option<Masks>,
    ) {
        let (from, to) = ((input, self.input), (out, self.output));
        let params = self.stage.split(params);
        match &mut self.kind {
            Kind::Bundle(bundle) => bundle.forward(arch, params, (input, images), to.0),
            Kind::Conv(conv) => conv.forward(arch, params, (input, images), to.0),
            Kind::Linear(linear) => linear.forward(arch, params, (input, images), to.0),
            Kind::Activate(activate) => activate.forward(arch, from, to, images),
            Kind::Drop(drop) => drop.forward(from, to, images, masks),
            Kind::MaxPool(pool) => pool.forward(from, to, images),
            Kind::AvgPool(pool) => pool.forward(from, to, images),
        }
    }

    /// Turns the error at the output into that at the input, in `error` or in `before`, and says whether it is in
    /// `before`. The first operation needs none and is given no `before`.
    pub(crate) fn backward(
        &mut self,
        arch: Arch,
        params: &[f32],
        passed: Passed<'_>,
        (error, before): (&mut [f32], Option<&mut [f32]>),
        (gradient, add): (&mut [f32], bool),
    ) -> bool {
        let (weights, _) = self.stage.split(params);
        let (slopes, biases) = self.stage.split_mut(gradient);
        let slopes = Slopes { weights: slopes, biases, add };
        let Passed { images, masks, .. } = passed;
        let (inner, outer) = (Layout::new(self.input.shape, 0), Layout::new(self.output.shape, 0));
        match &mut self.kind {
            Kind::Bundle(bundle) => {
                bundle.backward(arch, weights, images, error, slopes, before);
            }
            Kind::Conv(conv) => {
                conv.backward(arch, weights, passed, error, slopes, before);
            }
            Kind::Linear(linear) => {
                linear.backward(arch, weights, passed, error, slopes, before);
            }
            Kind::Activate(activate) => {
                activate.backward(&mut error[..images * outer.image]);
                return false;
            }
            Kind::Drop(drop) => {
                drop.backward(error, outer, images, masks);
                return false;
            }
            Kind::MaxPool(pool) => {
                if let Some(before) = before {
                    pool.backward((error, outer), (before, inner), images);
                }
            }
            Kind::AvgPool(pool) => {
                if let Some(before) = before {
                    pool.backward((error, outer), (before, inner), images);
                }
            }
        }
        true
    }
}
