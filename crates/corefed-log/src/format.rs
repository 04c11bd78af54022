//! What run folders say they are.

/// The `format` of every run.
pub const FORMAT: &str = "corefed-run";
/// The `version` that this crate writes.
pub const VERSION: u64 = 4;
/// The earliest that it reads: its rounds have no column `contradicted`, and its header no `guards`.
const EARLIEST: u64 = 3;

/// Whether folders and checkpoints of a version can be read.
pub(crate) fn is_known(version: u64) -> bool {
    (EARLIEST..=VERSION).contains(&version)
}
