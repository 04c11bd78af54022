//! Those whose reports count in a round.

/// An agent whose report counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Member {
    /// Index in the federation.
    pub(crate) agent: usize,
    /// Reported loss, finite and >= 0.
    pub(crate) loss: f64,
    /// Weight, rescaled to mean one over the federation.
    pub(crate) weight: f64,
    /// What FedAvg would weigh it by while a rule warms up.
    pub(crate) average: f64,
}
