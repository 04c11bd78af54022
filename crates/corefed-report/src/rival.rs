//! Other models that a page compares with.

/// A model of which only utilities are known.
#[derive(Clone, Debug, PartialEq)]
pub struct Rival {
    /// Name for people.
    pub name: String,
    /// Utility of every agent, where known.
    pub utilities: Vec<Option<f64>>,
}
