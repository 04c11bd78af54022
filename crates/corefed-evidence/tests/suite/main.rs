//! Evidence: intervals, witnesses and what is known nearby.

mod conclusions;
mod coverage;
mod nearby;
mod network;
mod participation;
mod simulated;
mod spectrum;
mod witness;
