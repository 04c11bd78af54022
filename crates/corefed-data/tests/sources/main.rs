//! Readers of published files against real sets, hand-made damage and chance.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]
#![expect(clippy::print_stderr, reason = "a test that is skipped must say so")]

mod any_bytes;
mod corpus;
mod published;
