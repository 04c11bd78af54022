//! Networks over images: how they are prepared, and what can be said of them.

pub(crate) mod audit;
pub(crate) mod held_out;
mod nearby;
pub(crate) mod prepare;
mod rivals;
