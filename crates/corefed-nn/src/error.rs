//! What can be wrong with a network.

use thiserror::Error;

use crate::{Shape, Size};

/// Text that describes no layer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("layer `{text}` {reason}")]
pub struct LayerError {
    /// As it was written.
    pub text: String,
    /// The end of a sentence.
    pub reason: &'static str,
}

impl LayerError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        "layers are `conv CHANNELS SIZE [pad=N] [stride=N]`, `max-pool SIZE [stride=N]`, \
         `avg-pool SIZE [stride=N]`, `relu`, `gelu`, `softplus`, `tanh`, `flatten`, \
         `linear FEATURES` and `dropout SHARE`"
    }
}

/// Layers that do not fit together.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum NetworkError {
    /// A layer that cannot take what the one before makes.
    #[error("layer {index} (`{layer}`) cannot take {input}")]
    Misfit {
        /// Place among the layers, from 1.
        index: usize,
        /// As a spec writes it.
        layer: String,
        /// What it would have to take.
        input: Size,
    },
    /// A layer with a window of no side or stride, padding that reaches around it, padding where there is
    /// none, or a share out of range. Reading a layer from text refuses these already.
    #[error("layer {index} (`{layer}`) has a size that cannot be")]
    Layer {
        /// Place among the layers, from 1.
        index: usize,
        /// As a spec writes it.
        layer: String,
    },
    /// The last layer does not tell classes apart.
    #[error("the last layer makes {output}, and there are {classes} classes")]
    Classes {
        /// What comes out at the end.
        output: Size,
        /// What should.
        classes: usize,
    },
    /// Nothing to train.
    #[error("the network has no parameters")]
    Nothing,
    /// Images of no size.
    #[error("images of {input} have no pixels")]
    NoPixels {
        /// Of the images.
        input: Shape,
    },
    /// A smoothing of predictions out of range.
    #[error("smoothing is `{smoothing}` and must be in (0, 1)")]
    Smoothing {
        /// As it was given.
        smoothing: f64,
    },
    /// More parameters than can be counted.
    #[error("the network has more than {most} parameters")]
    TooLarge {
        /// As many as there may be.
        most: usize,
    },
}

impl NetworkError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Misfit { input: Size::Maps(_), layer, .. } if layer.starts_with("linear") => {
                "put `flatten` before it".to_owned()
            }
            Self::Misfit { input: Size::Features(_), .. } => {
                "it needs images: move it before `flatten`".to_owned()
            }
            Self::Misfit { .. } => {
                "its window is larger than the image: pad, shrink it, or pool less before"
                    .to_owned()
            }
            Self::Layer { .. } => {
                "sides and strides are at least 1, padding is below the side, shares are in [0, 1)"
                    .to_owned()
            }
            Self::Classes { classes, .. } => format!("end with `flatten` and `linear {classes}`"),
            Self::Nothing => "add `flatten` and a `linear` layer".to_owned(),
            Self::NoPixels { .. } => "check the images".to_owned(),
            Self::Smoothing { .. } => "use a small share such as `0.01`".to_owned(),
            Self::TooLarge { .. } => "make layers smaller or pool more".to_owned(),
        }
    }
}

/// Second derivatives were asked of a network that has none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("layer {index} (`{layer}`) has kinks, so there are no second derivatives")]
pub struct NotSmooth {
    /// Place among the layers, from 1.
    pub index: usize,
    /// As a spec writes it.
    pub layer: String,
}

impl NotSmooth {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        "use `gelu`, `softplus` or `tanh` and `avg-pool`, or a preset with `-smooth` at the end"
    }
}

/// Tensors that are not the parameters of a network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TensorError {
    /// One that the network needs is not there.
    #[error("tensor `{name}` of shape {shape:?} is missing")]
    Missing {
        /// As the network calls it.
        name: String,
        /// As it should be.
        shape: Vec<usize>,
    },
    /// One is there that the network has no use for.
    #[error("tensor `{name}` belongs to no layer")]
    Extra {
        /// As it is called.
        name: String,
    },
    /// Two have one name.
    #[error("tensor `{name}` is there twice")]
    Twice {
        /// As both are called.
        name: String,
    },
    /// One has another shape.
    #[error(
        "tensor `{name}` has shape {found:?} and {values} values and should have shape {shape:?}"
    )]
    Shape {
        /// As it is called.
        name: String,
        /// As it is.
        found: Vec<usize>,
        /// How many numbers it has.
        values: usize,
        /// As it should be.
        shape: Vec<usize>,
    },
    /// One has something else than numbers.
    #[error("value {index} of tensor `{name}` is {value}")]
    NotFinite {
        /// As it is called.
        name: String,
        /// Place among its values, from 0.
        index: usize,
        /// What is there.
        value: String,
    },
}

impl TensorError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotFinite { .. } => "the model has diverged: take an earlier one",
            _ => {
                "tensors are those of a PyTorch `nn.Sequential` with the same layers, named `0.weight`, \
                 `0.bias` and so on by the place of their layer"
            }
        }
    }
}
