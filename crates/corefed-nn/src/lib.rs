//! Sequential networks for images.
//!
//! An [`Architecture`] is a list of [`Layer`]s over images of one [`Shape`]; a [`Network`] is one whose
//! shapes fit. Parameters are one flat vector of `f32`, divided into [`Slot`]s.
//!
//! ```
//! use corefed_nn::{Architecture, Loss, Network, Shape};
//!
//! let image = Shape { height: 28, width: 28, channels: 1 };
//! let layers = ["conv 8 5", "relu", "max-pool 2", "flatten", "linear 10"];
//! let layers = layers.iter().map(|layer| layer.parse()).collect::<Result<_, _>>()?;
//! let network = Network::new(Architecture { input: image, classes: 10, layers, loss: Loss::CrossEntropy })?;
//! assert_eq!(network.dim(), (5 * 5 * 8 + 8) + (12 * 12 * 8 * 10 + 10));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Workspace`] is the scratch of one thread. With it a network computes losses, gradients and logits of [`Samples`];
//! [`sgd_step`] descends. The same bits come out for any number of threads, and logits do not depend on how images
//! are batched; bits may differ between instruction sets.
//!
//! ```
//! use corefed_core::Seed;
//! use corefed_nn::{Init, Network, Samples, Shape, preset, sgd_step};
//!
//! let image = Shape { height: 12, width: 12, channels: 1 };
//! let network = Network::new(preset("mlp", image, 2).ok_or("a preset")?)?;
//! let mut params = network.initial(Seed(1), Init::Kaiming);
//! let (mut workspace, mut gradient) = (network.workspace(2), vec![0.0; network.dim()]);
//! // A dark image and a light one.
//! let pixels: Vec<f32> = [0.0; 144].into_iter().chain([1.0; 144]).collect();
//! let samples = Samples { pixels: &pixels, labels: &[0, 1] };
//! for _ in 0..30 {
//!     network.gradient(&params, samples, None, &mut workspace, &mut gradient);
//!     sgd_step(&mut params, &mut [], &gradient, 0.1, 0.0, 0.0);
//! }
//! assert_eq!(network.measure(&params, samples, &mut workspace).correct, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Networks without kinks also have exact products with Hessians ([`Network::hessian_product`]) and proved bounds on how
//! steep and curved losses are near some parameters ([`Network::smoothness`]).

mod activation;
mod architecture;
mod compute;
mod curvature;
mod dropout;
mod error;
mod fast;
mod initial;
mod layer;
mod network;
#[cfg(any(test, feature = "oracle"))]
pub mod oracle;
mod plain;
mod preset;
mod samples;
mod sgd;
mod shape;
mod smoothness;
mod tensors;
#[cfg(test)]
mod testing;

pub use activation::Activation;
pub use architecture::{Architecture, Loss};
pub use compute::Workspace;
pub use error::{LayerError, NetworkError, NotSmooth, TensorError};
pub use initial::Init;
pub use layer::{Layer, Window};
pub use network::{Network, Params, Slot, SlotKind, Stage};
pub use preset::{PRESETS, preset};
pub use samples::{Samples, Sums};
pub use sgd::sgd_step;
pub use shape::{Shape, Size};
pub use smoothness::Smoothness;
pub use tensors::NamedTensor;
