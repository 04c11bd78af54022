//! What run folders say they are.

/// The `format` of every run.
pub const FORMAT: &str = "corefed-run";
/// The `version` that this crate writes, and the only one that it reads.
pub const VERSION: u64 = 3;
