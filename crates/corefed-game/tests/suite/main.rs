//! Games of coalition values, against brute force.

mod contributions;
mod hedonic;
mod least_core;
