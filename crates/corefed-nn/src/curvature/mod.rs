//! Products of Hessians with directions: a gradient whose numbers carry their derivative along the direction, for eight
//! images at a time, in double precision.
//!
//! Products and sums are fused, exactly so on every machine: bits are the same everywhere. [`crate::plain`] says the same by the definitions, one image
//! after another.

mod lanes;
mod normal;
mod pointwise;
mod product;
mod windows;

use pulp::Arch;

use self::lanes::{LANES, Lanes, side_by_side};
use self::pointwise::{Bend, activate, bend_back, pool, pool_back};
use self::product::{Back, Forward, Slopes, Weights};
use self::windows::Windows;
use crate::fast::Run;
use crate::plain::{self, Dual};
use crate::{Layer, Network, Samples, Stage};

/// Adds the Hessian of the sum of losses times the slopes of the parameters to `sums`. The network has no kinks; dropout
/// is left out.
pub(crate) fn add_product(
    network: &Network,
    params: &[Dual],
    samples: Samples<'_>,
    sums: &mut [f64],
) {
    let arch = Arch::new();
    let windows: Vec<Windows> = network.stages().iter().map(Windows::new).collect();
    for part in samples.batches(LANES, network.input().len()) {
        let work = Work { arch, network, params, windows: &windows };
        work.images(part, sums);
    }
}

struct Work<'a> {
    arch: Arch,
    network: &'a Network,
    params: &'a [Dual],
    windows: &'a [Windows],
}

/// What a layer was given, and how its activation bends there.
struct Kept {
    input: Vec<Lanes>,
    bends: Vec<Bend>,
}

impl Work<'_> {
    /// At most as many images as there are lanes.
    fn images(&self, samples: Samples<'_>, sums: &mut [f64]) {
        let stages = self.network.stages();
        let (mut values, images) = side_by_side(samples.pixels, self.network.input().len());
        let mut kept = Vec::with_capacity(stages.len());
        for (index, stage) in stages.iter().enumerate() {
            let (output, bends) = self.forward(stage, &self.windows[index], &values);
            kept.push(Kept { input: values, bends });
            values = output;
        }
        // Lanes without an image of their own have no error, and so add nothing.
        let mut error = vec![Lanes::ZERO; values.len()];
        for (lane, label) in samples.labels.iter().enumerate().take(images) {
            let logits: Vec<Dual> = values.iter().map(|z| z.of_image(lane)).collect();
            let (_, own) = plain::loss(self.network.loss(), &logits, usize::from(*label));
            for (error, own) in error.iter_mut().zip(own) {
                error.set(lane, own);
            }
        }
        let first = stages.iter().position(|stage| stage.params.is_some()).unwrap_or(stages.len());
        for (index, stage) in stages.iter().enumerate().skip(first).rev() {
            let windows = &self.windows[index];
            error = self.backward(stage, windows, &kept[index], error, index > first, sums);
        }
    }

    fn forward(
        &self,
        stage: &Stage,
        windows: &Windows,
        input: &[Lanes],
    ) -> (Vec<Lanes>, Vec<Bend>) {
        match stage.layer {
            Layer::Activation(activation) => activate(activation, input),
            Layer::AvgPool(_) => (pool(stage, windows, input), Vec::new()),
            Layer::Conv { .. } | Layer::Linear { .. } => {
                let mut output = vec![Lanes::ZERO; stage.output.len()];
                let (weights, biases) = self.weights(stage);
                let output_of = Forward { windows, weights, biases, input, output: &mut output };
                self.arch.dispatch(Run(output_of));
                (output, Vec::new())
            }
            // A maximum has kinks: no product is asked for.
            Layer::Flatten | Layer::Dropout { .. } | Layer::MaxPool(_) => {
                (input.to_vec(), Vec::new())
            }
        }
    }

    /// The error at the input, if it is asked for.
    fn backward(
        &self,
        stage: &Stage,
        windows: &Windows,
        kept: &Kept,
        error: Vec<Lanes>,
        more: bool,
        sums: &mut [f64],
    ) -> Vec<Lanes> {
        match stage.layer {
            Layer::Activation(_) => bend_back(&kept.input, &kept.bends, error),
            Layer::AvgPool(_) => pool_back(stage, windows, &error),
            Layer::Conv { .. } | Layer::Linear { .. } => {
                let (weights, _) = self.weights(stage);
                let (slopes, biases) = stage.split_mut(sums);
                let (channels, input, error) = (weights.channels, &kept.input[..], &error[..]);
                let own = Slopes { windows, channels, input, error, weights: slopes, biases };
                self.arch.dispatch(Run(own));
                let mut back = vec![Lanes::ZERO; if more { input.len() } else { 0 }];
                if more {
                    self.arch.dispatch(Run(Back { windows, weights, error, input: &mut back }));
                }
                back
            }
            Layer::Flatten | Layer::Dropout { .. } | Layer::MaxPool(_) => error,
        }
    }

    fn weights(&self, stage: &Stage) -> (Weights<'_>, &[Dual]) {
        let (numbers, biases) = stage.split(self.params);
        let cells = match stage.layer {
            Layer::Conv { window, .. } => window.size * window.size,
            _ => 1,
        };
        let channels = (numbers.len() / biases.len() / cells, biases.len());
        (Weights { numbers, channels }, biases)
    }
}

#[cfg(test)]
mod tests;
