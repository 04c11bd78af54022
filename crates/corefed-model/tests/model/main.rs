//! Losses and their derivatives from outside the crate.

mod derivatives;
mod encodings;
mod testing;
mod threads;
