//! Training networks on an NVIDIA GPU, all agents of a cohort together, each with its own weights.
//!
//! Nothing of CUDA is needed to build this crate. The driver and the run-time compiler are looked for when
//! [`Device::open`] is called, and their absence is an error with a hint.
//!
//! A layer is one matrix product over all agents (`kernels/block.cu`): images are unfolded
//! while they are read, biases, ReLU and 2x2 maxima are applied while results are written, and the product
//! that makes a gradient of weights takes the step with it. Small pooled convolutions are computed directly
//! (`kernels/direct.cu`), in single precision whatever the rest is computed in, and so are losses and gradients by which a model is
//! judged. A training step is one CUDA graph that is replayed;
//! which rows it takes follows from a counter on the device, so a round has no trip to the host inside.
//!
//! Sums have a fixed order, so one device and one driver give the same bytes again, whatever ran before. Another
//! device, another number of agents that train together, or another precision may round differently.

mod agent;
mod arena;
mod border;
mod cache;
mod compile;
mod cost;
mod crowd;
mod device;
mod direct;
#[cfg(test)]
mod emulated;
mod engine;
mod error;
mod evaluate;
mod extent;
mod form;
mod graph;
mod halves;
mod images;
mod kind;
mod layout;
mod plan;
mod precision;
mod product;
mod profile;
#[cfg(test)]
mod rounding;
mod source;
mod staging;
mod steps;
mod tile;
mod train;
mod vectors;

pub use agent::{Objective, Task};
pub use corefed_nn::Sums;
pub use device::{Device, DeviceInfo, available};
pub use engine::Engine;
pub use error::CudaError;
pub use images::{Images, Pixels};
pub use precision::Precision;

#[cfg(test)]
mod tests {
    #[test]
    fn engines_move_between_threads_and_images_are_shared() {
        fn moves<T: Send>() {}
        fn is_shared<T: Send + Sync>() {}
        moves::<crate::Engine>();
        is_shared::<crate::Images>();
        is_shared::<crate::Device>();
    }
}
