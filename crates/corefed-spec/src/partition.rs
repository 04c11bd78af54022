//! Who owns which row, when no column says so.

use std::path::PathBuf;

use corefed_data::Method;

/// As `[partition]` describes it.
#[derive(Clone, Debug, PartialEq)]
pub enum PartitionSpec {
    /// Drawn from the run's seed.
    Method(Method),
    /// As a file of `corefed data partition` says.
    File(PathBuf),
}
