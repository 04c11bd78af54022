//! Downloads from a server on this machine that behaves as badly as servers do.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod archives;
mod bad_servers;
mod good_servers;
mod real_sets;
mod server;
mod setting;
