//! The published data sets: what is known of them, where they lie, how to read them.
//!
//! Every reader takes files nobody has checked. It compares sizes before it allocates, names
//! the file in every error, and says what it expected and what it found.

pub mod adult;
pub mod cifar;
mod error;
pub mod heart;
pub mod idx;
mod stored;

pub use error::SourceError;

/// The two parts in which most sets are published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split<T> {
    /// What models learn from.
    pub train: T,
    /// What models are judged by.
    pub test: T,
}
