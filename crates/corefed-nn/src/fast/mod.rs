//! Networks fast: single precision, vectors, no allocation in a step.
//!
//! Feature maps lie pixel by pixel with zeros around each image. A convolution then is a product of overlapping rows
//! with a matrix, and so is its way back, with errors in place of pixels and the window turned around. Two kinds take other
//! ways, chosen by sizes alone: many channels with windows of 3x3 or 5x5 use tiles, few channels bundles of images.
//! One thread computes a batch from beginning to end, in an order that depends on nothing but sizes: bits are the same for any
//! number of threads. They differ between instruction sets, whose vectors have other lengths.

mod aligned;
mod bundle;
mod conv;
mod engine;
mod fold;
mod functions;
mod fused;
mod kernel;
mod layout;
mod linear;
pub(crate) mod loss;
mod operation;
mod passed;
mod pointwise;
mod pool;
mod product;
mod slide;
mod tiles;

pub(crate) use engine::Engine;
pub(crate) use kernel::{Loops, Run};
pub(crate) use pointwise::Masks;

#[cfg(test)]
mod tests;
