//! Server rules: how a cohort's losses and updates become one step of the model.

mod kernel;
mod scalar;
mod settings;

pub use kernel::{combine, fold, gram, norm_sqr};
pub use scalar::Scalar;
pub use settings::{AtCeiling, CoreStep, Rule, Safety, ServerStep};
