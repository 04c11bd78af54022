//! The mathematics of core-stability, pure and in `f64`: no I/O, threads, clocks or randomness.

mod predictor;

pub use predictor::{Encoding, Family, Feature, Predictor};
