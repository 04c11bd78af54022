//! A network as it is described.

use crate::Layer;
use crate::Shape;

/// Layers over images of one size. [`Network::new`](crate::Network::new) checks that they fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Architecture {
    /// One image.
    pub input: Shape,
    /// Kinds of image to tell apart.
    pub classes: usize,
    /// From image to logits.
    pub layers: Vec<Layer>,
    /// What a wrong prediction costs.
    pub loss: Loss,
}

/// What a prediction costs, in nats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// `-log p_y` with `p` the softmax of the logits. Has no largest value.
    CrossEntropy,
    /// `-log((1 - s) p_y + s / K)`: at most `log(K / s)`, whatever the parameters are.
    Bounded {
        /// `s`, in (0, 1).
        smoothing: f64,
    },
}

impl Loss {
    /// The largest loss there can be: a ceiling that needs no assumption.
    #[must_use]
    pub fn largest(self, classes: usize) -> Option<f64> {
        match self {
            Self::CrossEntropy => None,
            Self::Bounded { smoothing } => Some((classes as f64 / smoothing).ln()),
        }
    }
}

impl Architecture {
    /// The same network without kinks: GELU for ReLU, means for maxima.
    #[must_use]
    pub fn smooth_twin(mut self) -> Self {
        for layer in &mut self.layers {
            *layer = match *layer {
                Layer::MaxPool(window) => Layer::AvgPool(window),
                Layer::Activation(crate::Activation::Relu) => {
                    Layer::Activation(crate::Activation::Gelu)
                }
                other => other,
            };
        }
        self
    }
}
