//! The published data sets: what is known of them, where they lie, how to read them.
//!
//! Every reader takes files nobody has checked. It compares sizes before it allocates, names
//! the file in every error, and says what it expected and what it found.

pub mod adult;
pub mod catalogue;
pub mod cifar;
mod folder;
mod generated;
pub mod heart;
pub mod idx;
mod inside;
mod locate;
mod rows;
mod stored;

pub use crate::error::SourceError;
pub use folder::{FolderError, data_folder};
pub use inside::check_inside;
pub use locate::{
    Damage, Depth, FileState, PARTIAL, State, check_published, file_state, locate, sha256_of_file,
};
pub use rows::Rows;
