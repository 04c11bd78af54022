//! Losses and their derivatives from outside the crate.
#![expect(clippy::unwrap_used, reason = "federations of tests are well-formed")]

mod bounds;
mod compression;
mod derivatives;
mod encodings;
mod row_weights;
mod testing;
mod threads;
