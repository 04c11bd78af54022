//! What is made of several trainings.

/// Something that is made of several trainings.
#[derive(Clone, Debug)]
pub enum Several<T> {
    /// All of them are there.
    Done(T),
    /// Somebody asked to stop; what there is in the folder is taken up by anybody who asks for the same.
    Interrupted,
}
