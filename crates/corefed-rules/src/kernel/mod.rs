//! Passes over whole updates: sums, norms, products and the step itself.
//!
//! Every pass is cut into blocks of a fixed length that threads take in any order. Within a block
//! the order of operations is fixed, products are rounded before they are added (no fused
//! multiply-add), and what crosses blocks is summed in order of the blocks. So results are the same
//! bits on every machine and at every number of threads.

mod advance;
mod combine;
mod gram;
mod norm;

pub(crate) use advance::{Motion, advance_block, each_block};
pub(crate) use combine::add_terms;
pub use combine::{combine, fold};
pub use gram::gram;
pub use norm::norm_sqr;

/// Numbers per block of a sum: 32 kB of `f32`, so that a block of the sum stays in the caches next
/// to the core while all updates stream by. Shorter blocks are read at lower bandwidth.
pub(crate) const BLOCK: usize = 8192;
