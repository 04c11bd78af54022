//! How steep and how curved losses can be near some parameters: bounds that are proved (ledger E37).

mod norm;

use norm::{frobenius, spectral};

use crate::{Activation, Layer, Network, Stage};

/// Bounds on the loss of any image, everywhere in a ball of parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothness {
    /// At least the norm of the gradient.
    pub slope: f64,
    /// At least the largest absolute eigenvalue of the Hessian.
    pub curvature: f64,
}

/// Every bound is computed from numbers that are not negative by fewer than a hundred operations that do not
/// subtract, each within half a unit in the last place.
const OUTWARD: f64 = 1.0 + 100.0 * f64::EPSILON;

/// Bounds on what a layer makes, over all images and all parameters in the ball.
#[derive(Clone, Copy, Debug)]
struct Reach {
    /// On its norm.
    value: f64,
    /// On the norm of its derivative in the parameters.
    slope: f64,
    /// On the norm of its second derivative, as a symmetric form.
    curvature: f64,
}

impl Network {
    /// Bounds on the gradient and the Hessian of any loss of an image of at most the given norm, at all
    /// parameters within `radius` of `params`, without dropout; `None` where the network has kinks.
    ///
    /// The bounds multiply over layers: they are finite and true, and large for deep networks.
    ///
    /// # Panics
    /// If there are not as many parameters as the network has.
    #[must_use]
    pub fn smoothness(
        &self,
        params: &[f32],
        radius: f64,
        largest_input_norm: f64,
    ) -> Option<Smoothness> {
        assert_eq!(params.len(), self.dim(), "parameters");
        if !self.is_smooth() {
            return None;
        }
        let mut reach = Reach { value: largest_input_norm, slope: 0.0, curvature: 0.0 };
        for stage in self.stages() {
            reach = after(stage, params, radius, reach).outward();
        }
        // The loss as a function of the logits (ledger E36).
        let (slope, curvature) = (2_f64.sqrt(), 0.5);
        Some(Smoothness {
            slope: slope * reach.slope * OUTWARD,
            curvature: (curvature * reach.slope * reach.slope + slope * reach.curvature) * OUTWARD,
        })
    }
}

impl Reach {
    fn outward(self) -> Self {
        let Self { value, slope, curvature } = self;
        Self { value: value * OUTWARD, slope: slope * OUTWARD, curvature: curvature * OUTWARD }
    }
}

fn after(stage: &Stage, params: &[f32], radius: f64, before: Reach) -> Reach {
    let (weights, biases) = stage.split(params);
    match stage.layer {
        Layer::Flatten | Layer::Dropout { .. } => before,
        Layer::Activation(activation) => activated(activation, stage.output.len(), before),
        Layer::AvgPool(window) => {
            let seen = windows(window, stage);
            // A mean of squares is at least the square of the mean.
            let norm = seen.sqrt() / window.size as f64;
            let Reach { value, slope, curvature } = before;
            Reach { value: norm * value, slope: norm * slope, curvature: norm * curvature }
        }
        Layer::Linear { features } => {
            let sizes = Affine { seen: 1.0, places: 1.0 };
            let norms = (spectral(weights, features) + radius, frobenius(biases) + radius);
            sizes.after(norms, before)
        }
        Layer::Conv { channels, window } => {
            let pixels = (stage.output.len() / channels) as f64;
            let sizes = Affine { seen: windows(window, stage), places: pixels };
            let norms = (spectral(weights, channels) + radius, frobenius(biases) + radius);
            sizes.after(norms, before)
        }
        Layer::MaxPool(_) => Reach { value: f64::INFINITY, ..before },
    }
}

/// In how many windows a pixel can be.
fn windows(window: crate::Window, stage: &Stage) -> f64 {
    let output = stage.output.as_maps();
    let along = |places: usize| window.size.div_ceil(window.stride).min(places);
    (along(output.height) * along(output.width)) as f64
}

/// Rows of a matrix times windows of the input, plus biases.
struct Affine {
    /// In how many windows a number of the input is at most.
    seen: f64,
    /// How many windows there are.
    places: f64,
}

impl Affine {
    fn after(self, (weights, biases): (f64, f64), before: Reach) -> Reach {
        let Self { seen, places } = self;
        // What the weights do to what came before, and what a change of weights and biases does.
        let old = seen.sqrt() * weights;
        let new = (seen * before.value * before.value + places).sqrt();
        // Weights are changed at most as much as what they are multiplied with: the largest eigenvalue of
        // [[bent, mixed], [mixed, 0]].
        let (bent, mixed) = (old * before.curvature, seen.sqrt() * before.slope);
        Reach {
            value: old * before.value + places.sqrt() * biases,
            slope: (old * before.slope).hypot(new),
            curvature: 0.5 * (bent + bent.hypot(2.0 * mixed)),
        }
    }
}

fn activated(activation: Activation, numbers: usize, before: Reach) -> Reach {
    let (slope, curvature) = activation.largest_derivatives();
    let root = (numbers as f64).sqrt();
    let value = match activation {
        Activation::Relu | Activation::Gelu => before.value,
        Activation::Softplus => before.value + root * std::f64::consts::LN_2,
        Activation::Tanh => before.value.min(root),
    };
    Reach {
        value,
        slope: slope * before.slope,
        curvature: slope * before.curvature + curvature * before.slope * before.slope,
    }
}

#[cfg(test)]
mod tests;
