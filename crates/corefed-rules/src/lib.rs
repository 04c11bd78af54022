//! Server rules: how a cohort's losses and updates become one step of the model.

mod settings;

pub use settings::{AtCeiling, CoreStep, Rule, Safety, ServerStep};
