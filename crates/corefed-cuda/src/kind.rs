//! The three products of a layer.

/// Which of the three products of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// What the layer makes.
    Forward,
    /// The gradient of its input.
    Input,
    /// The gradient of its weights, and the step.
    Weight,
}
