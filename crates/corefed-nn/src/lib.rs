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

mod activation;
mod architecture;
mod error;
mod layer;
mod network;
mod preset;
mod shape;

pub use activation::Activation;
pub use architecture::{Architecture, Loss};
pub use error::{LayerError, NetworkError};
pub use layer::{Layer, Window};
pub use network::{Network, Params, Slot, SlotKind, Stage};
pub use preset::{PRESETS, preset};
pub use shape::{Shape, Size};
