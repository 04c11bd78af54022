//! Tables in, federations out.

mod design;
mod federation;

pub use design::{Design, DesignError};
pub use federation::{Agent, Federation};
