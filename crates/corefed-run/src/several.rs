//! What is made of several trainings.

use std::path::PathBuf;

/// Something that is made of several trainings.
#[derive(Clone, Debug)]
pub enum Several<T> {
    /// All of them are there.
    Done(T),
    /// Somebody asked to stop; what there is in these folders can be resumed.
    Interrupted(Vec<PathBuf>),
}
