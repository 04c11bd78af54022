//! Server rules and their kernels.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod kernels;
mod rules;
mod streaming;
