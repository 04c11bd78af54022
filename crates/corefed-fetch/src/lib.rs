//! Downloads the public data sets: resumable, checked before they count, never half-written.
//!
//! A file grows under its name plus `.partial`. Only when its size and SHA-256 are those of
//! the catalogue is it renamed, which a file system does at once or not at all. So whatever
//! has its final name is whole, and whatever was cut off resumes where it stopped.

mod download;
mod error;
mod fetch;
mod lock;
mod own_file;
mod partial;
mod progress;
mod unpack;

pub use error::FetchError;
pub use fetch::{Fetched, Options, fetch, fetch_entry};
pub use progress::Progress;
